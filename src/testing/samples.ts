import assert from "node:assert/strict";
import type { NewLogEntry, PasswordHash, StoredUser } from "../core/records.ts";
import type { Store } from "../core/store.ts";

/** A placeholder for a hash in tests that do not verify it. */
export const hashText = (text: string): PasswordHash => text as PasswordHash;

export function logEntry(summary: string, fields: Partial<NewLogEntry> = {}): NewLogEntry {
  return { at: new Date(1_000), type: "signin", author: "system", ...fields, summary };
}

export async function add(store: Pick<Store, "users">, username: string): Promise<StoredUser> {
  const passwordHash = hashText(`hash of ${username}`);
  const user = await store.users.insert({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

export async function addTwo(
  store: Pick<Store, "users">,
): Promise<{ owner: StoredUser; guest: StoredUser }> {
  return { owner: await add(store, "owner"), guest: await add(store, "guest") };
}
