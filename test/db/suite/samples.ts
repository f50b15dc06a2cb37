import assert from "node:assert/strict";
import type {
  NewLogEntry,
  PasswordHash,
  StoredUser,
  User,
  UserId,
} from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";

export const UNKNOWN = "unknown" as UserId;
export const UNKNOWN_USER: User = { id: UNKNOWN, username: "unknown" };
/** A text that SQL and HTML would have to escape. */
export const TEXT = "O'Ne\"il's <b> caf\u00e9 ";

/** A time in hours after a new year. */
export const at = (hours: number): Date => new Date(Date.UTC(2030, 0, 1) + hours * 3_600_000);

/** A placeholder for a hash in tests that do not verify it. */
export const hashText = (text: string): PasswordHash => text as PasswordHash;

export function logEntry(summary: string, fields: Partial<NewLogEntry> = {}): NewLogEntry {
  return { at: new Date(1_000), type: "signin", author: "system", ...fields, summary };
}

export async function addTo(
  store: Pick<Store, "users">,
  username: string,
  by: "insert" | "insertFirst" = "insert",
): Promise<StoredUser> {
  const passwordHash = hashText(`hash of ${username}`);
  const user = await store.users[by]({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

export async function addTwo(
  store: Pick<Store, "users">,
): Promise<{ owner: StoredUser; guest: StoredUser }> {
  return { owner: await addTo(store, "owner"), guest: await addTo(store, "guest") };
}
