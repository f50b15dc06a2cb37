import { randomBytes } from "node:crypto";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { App } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { APP_ID } from "../../db/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { createRandomText, digestText } from "../../lib/random-text.ts";
import type { AppDirectory } from "./app-directory.ts";
import {
  type AppDetails,
  type AppFields,
  applyFields,
  type FieldProblem,
  toAppDetails,
} from "./app-fields.ts";

/** Lists the services that rules about apps need. */
export interface AppServices {
  readonly store: Pick<StoreParts, "apps">;
  readonly clock: Pick<Clock, "now">;
  readonly appDirectory: Pick<AppDirectory, "forget">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

export type AddAppOutcome =
  | FieldProblem
  | { readonly kind: "id-invalid" | "id-taken"; readonly id: string }
  /** Only this outcome contains the secret, and only if the app is a confidential client. */
  | { readonly kind: "added"; readonly app: AppDetails; readonly secret: string | undefined };

/** Two secrets can be valid, so that an app changes its secret without a break. */
export const MAX_SECRETS = 2;
const ID_BYTES = 8;
/** A secret has 43 characters, so the others remain out of reach. */
const ENDING_LENGTH = 4;

/**
 * Adds an app.
 *
 * @param id Default: the name in lower case, with hyphens.
 */
export async function addApp(
  services: AppServices,
  fields: AppFields & { readonly name: string },
  id: string = toAppId(fields.name),
): Promise<AddAppOutcome> {
  const { store, clock, appDirectory, record } = services;
  const createdAt = new Date(clock.now());
  const app = applyFields({ id, name: fields.name, createdAt }, fields);
  if ("kind" in app) return app;
  if (!APP_ID.test(id)) return { kind: "id-invalid", id };
  if (!(await store.apps.insert(app))) return { kind: "id-taken", id };
  appDirectory.forget();
  await record(createAuditEvent("app_add", { name: id }));
  const details = toAppDetails(app);
  if (app.clientType !== "confidential") return { kind: "added", app: details, secret: undefined };
  const made = await insertSecret(services, id, 1);
  const secret = made.kind === "made" ? made.secret : undefined;
  return { kind: "added", app: details, secret };
}

/**
 * Makes an ID from a name: "Paperless (office)" becomes `paperless-office`, and "New" becomes
 * `new-app`, since no app can have the ID `new`.
 */
export const toAppId = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 63)
    .replace(/-+$/, "")
    .replace(/^new$/, "new-app");

export type ChangeAppOutcome =
  | FieldProblem
  | { readonly kind: "no-app" }
  /** The app became a confidential client and had no secret. */
  | { readonly kind: "changed"; readonly secret: string | undefined };

/**
 * Changes the given fields of an app. The change is valid within a second on every instance.
 *
 * @param fields can depend on the app as it is stored.
 */
export async function changeApp(
  services: AppServices,
  id: string,
  fields: AppFields | ((app: AppDetails) => AppFields),
): Promise<ChangeAppOutcome> {
  const { store, appDirectory, record } = services;
  let problem: FieldProblem | undefined;
  let changed: App | undefined;
  const outcome = await store.apps
    .change(id, (app) => {
      const wanted = typeof fields === "function" ? fields(toAppDetails(app)) : fields;
      const applied = applyFields(app, wanted);
      problem = "kind" in applied ? applied : undefined;
      changed = "kind" in applied ? undefined : applied;
      return changed;
    })
    .finally(appDirectory.forget);
  if (problem !== undefined) return problem;
  if (outcome !== "changed") return { kind: "no-app" };
  await record(createAuditEvent("app_change", { name: id }));
  if (changed?.clientType !== "confidential") return { kind: "changed", secret: undefined };
  const secrets = await store.apps.listSecrets(id);
  if (secrets.length > 0) return { kind: "changed", secret: undefined };
  const made = await insertSecret(services, id, 1);
  return { kind: "changed", secret: made.kind === "made" ? made.secret : undefined };
}

/** Removes an app. All its grants end, and its ID can be used again. */
export async function removeApp(
  { store, appDirectory, record }: AppServices,
  id: string,
): Promise<"no-app" | "removed"> {
  const removed = await store.apps.remove(id).finally(appDirectory.forget);
  if (removed === undefined) return "no-app";
  await record(createAuditEvent("app_remove", { name: id }));
  return "removed";
}

export type MakeSecretOutcome =
  | { readonly kind: "no-app" | "not-confidential" | "too-many" }
  /** Only this outcome contains the secret. */
  | { readonly kind: "made"; readonly secret: string };

/** Makes a second secret. Both are valid until the older one is revoked. */
export async function makeAppSecret(services: AppServices, id: string): Promise<MakeSecretOutcome> {
  const app = await services.store.apps.find(id);
  if (app === undefined) return { kind: "no-app" };
  if (app.clientType !== "confidential") return { kind: "not-confidential" };
  return insertSecret(services, id, MAX_SECRETS);
}

/** @param limit Makes no secret if the app has this many. Another process may have made the first. */
async function insertSecret(
  { store, clock, record }: AppServices,
  appId: string,
  limit: number,
): Promise<MakeSecretOutcome> {
  const secret = createRandomText();
  const row = createSecretRow(clock, appId, secret);
  const outcome = await store.apps.insertSecret(row, limit);
  if (outcome !== "inserted") return { kind: outcome };
  await record(createAuditEvent("app_secret", { name: appId }));
  return { kind: "made", secret };
}

const createSecretRow = (clock: AppServices["clock"], appId: string, secret: string) => ({
  id: randomBytes(ID_BYTES).toString("hex"),
  appId,
  hash: digestText(secret),
  ending: secret.slice(-ENDING_LENGTH),
  createdAt: new Date(clock.now()),
});

/**
 * Matches a client secret that was made elsewhere. It is stored as a plain digest, so it must be too
 * long to be guessed. Its characters need no encoding in a URL.
 */
const GIVEN_SECRET = /^[\w.~-]{32,255}$/;

export const isUsableSecret = (text: string): boolean => GIVEN_SECRET.test(text);

export type SetSecretOutcome =
  | "secret-invalid"
  | "no-app"
  | "not-confidential"
  /** Another app has the secret. */
  | "taken"
  /** The app had the secret already. */
  | "unchanged"
  | "set";

/**
 * Gives an app a secret that was made elsewhere. The secret that the app had before stays valid, so
 * that the app can change to the new one without a break; an older one is revoked.
 */
export async function setAppSecret(
  { store, clock, record }: AppServices,
  id: string,
  secret: string,
): Promise<SetSecretOutcome> {
  if (!isUsableSecret(secret)) return "secret-invalid";
  const outcome = await store.apps.setSecret(createSecretRow(clock, id, secret), MAX_SECRETS);
  switch (outcome) {
    case "no-app":
    case "not-confidential":
    case "taken":
    case "unchanged":
      return outcome;
    case "inserted":
    case "replaced":
      await record(createAuditEvent("app_secret", { name: id }));
      if (outcome === "replaced") await record(createAuditEvent("app_secret_revoke", { name: id }));
      return "set";
  }
}

/**
 * Revokes one of two secrets. The only secret stays, since the app could not sign in.
 *
 * @param secretId Default: the older one.
 */
export async function revokeAppSecret(
  { store, record }: AppServices,
  id: string,
  secretId?: string,
): Promise<"no-app" | "no-secret" | "only-one" | "revoked"> {
  const outcome = await store.apps.removeSecret(id, secretId);
  if (outcome !== "removed") return outcome;
  await record(createAuditEvent("app_secret_revoke", { name: id }));
  return "revoked";
}
