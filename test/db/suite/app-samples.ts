import assert from "node:assert/strict";
import type { App, Grant, Token, UserId } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import { at } from "./samples.ts";

export const appOf = (id: string, fields: Partial<App> = {}): App => ({
  ...{ id, name: `Name of ${id}`, createdAt: at(0) },
  ...fields,
});

export async function addApp(store: Store, id: string, fields: Partial<App> = {}): Promise<App> {
  const app = appOf(id, fields);
  assert.equal(await store.apps.insert(app), true);
  return app;
}

/** Describes a grant of the app `photos` that belongs to the session `browser`. */
export const grantOf = (userId: UserId, id: string, fields: Partial<Grant> = {}): Grant => ({
  ...{ id, userId, appId: "photos", sessionId: "browser", sid: `sid of ${id}`, validUpTo: 1_000 },
  ...{ factors: 1, content: "{}", createdAt: at(0), expiresAt: at(9) },
  ...fields,
});

export const tokenOf = (id: string, fields: Partial<Token> = {}): Token => ({
  ...{ id, kind: "AccessToken", content: "{}", expiresAt: at(9) },
  ...fields,
});
