import type { StoredUser } from "../../core/store.ts";
import type { Tables } from "./tables.ts";

/** Inserts users as they are, in one statement of a transaction. */
export function userInsert(
  tables: Tables,
  users: readonly StoredUser[],
): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  return {
    text: `INSERT INTO ${tables.users} (id, username, password_hash, sessions_from)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
    values: [
      users.map(({ id }) => id),
      users.map(({ username }) => username),
      users.map(({ passwordHash }) => passwordHash),
      users.map(({ sessionsFrom }) => sessionsFrom ?? null),
    ],
  };
}
