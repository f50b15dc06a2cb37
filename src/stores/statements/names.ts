import { nameKeyOf } from "../../core/base/names.ts";
import { NO_PASSWORD, type StoredUser, type UsedName, type UserId } from "../../core/records.ts";
import { columnsOf, type Row, rowOf, tables } from "../../core/tables.ts";
import { columnNames, type FoundRow, insertInto, recordOf, type Steps } from "./sql.ts";

/** Proxies, assertions, and sessions of apps know the name of a guest for that long at most. */
const GUEST_NAME_MS = 30 * 86_400_000;

/** The username of a user, as a name that is used. That of a guest is free some time after its end. */
function usedNameOf({ id, username, passwordHash, endsAt }: StoredUser): UsedName {
  const isGuest = passwordHash === NO_PASSWORD && endsAt !== undefined;
  return {
    id: nameKeyOf(username),
    holder: id,
    ...(isGuest && { expiresAt: new Date(endsAt.getTime() + GUEST_NAME_MS) }),
  };
}

export const usedNameRow = (user: StoredUser): Row => rowOf(tables.used_names, usedNameOf(user));

/** Returns a row if the name was free. Of concurrent transactions, one gets it. */
export const CLAIM_NAME: string = `${insertInto("used_names")} ON CONFLICT (id) DO NOTHING RETURNING id`;

/** The same, also for a name that the user has had before. */
export const CLAIM_NAME_AGAIN: string = `${insertInto("used_names")}
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
    WHERE {used_names}.holder == excluded.holder
  RETURNING id`;

/** For the setup, which takes any username. */
export const TAKE_NAME: string = `${insertInto("used_names")}
  ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  RETURNING id`;

/** The schema that notes them. */
export const NAMES_SCHEMA = 2;

const PAGE_SIZE = 500;

/** Notes the usernames of all users, for a database from before they were noted. */
export function* noteAllNames(): Steps<void> {
  const columns = columnNames(tables.users);
  for (let after = ""; ; ) {
    const found: readonly FoundRow[] = yield [
      `SELECT ${columns} FROM {users} WHERE id > $1 ORDER BY id LIMIT ${PAGE_SIZE}`,
      [after],
    ];
    const users = found.map((row) => recordOf(tables.users, row));
    const last: UserId | undefined = users.at(-1)?.id;
    if (last === undefined) return;
    const rows = users.map(usedNameRow);
    const places = rows.map((_, at) => {
      const first = at * columnsOf(tables.used_names).length + 1;
      return `($${first}, $${first + 1}, CAST($${first + 2} AS bigint))`;
    });
    yield [
      `INSERT INTO {used_names} (${columnNames(tables.used_names)}) VALUES ${places.join(", ")}
       ON CONFLICT (id) DO NOTHING`,
      rows.flat(),
    ];
    after = last;
  }
}
