import type { Client } from "../limits/requester.ts";
import { type Event, eventOf } from "../log/events.ts";
import type { User } from "../records.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { KeyStore, UserStore } from "../store.ts";

interface RevokeKeyPorts {
  readonly store: {
    readonly users: Pick<UserStore, "find">;
    readonly keys: Pick<KeyStore, "remove">;
  };
  /** Writes an entry of the audit log. */
  readonly record: (event: Event) => unknown;
  /** Of this process, if it has guards. */
  readonly users?: Pick<UserMemory, "forget">;
}

/**
 * Revokes a key by its ID, and returns whose it was: `undefined` if there is no such key.
 *
 * @param of With it, only a key of this user.
 */
export async function revokeKey(
  { store, record, users }: RevokeKeyPorts,
  id: string,
  of?: User,
  client?: Client,
): Promise<User | undefined> {
  const key = await store.keys.remove(id, of?.id).finally(() => of && users?.forget(of.id));
  const user = key && (of ?? (await store.users.find(key.userId)));
  if (user !== undefined) await record(eventOf("key_revoke", { user, ...(client && { client }) }));
  return user;
}
