import { randomUUID } from "node:crypto";
import { ADMINS } from "../../core/accounts/set-groups.ts";
import { type User, type UserId, userOf } from "../../core/records.ts";
import type { AskingSession, EndOfSessions, Kept, UserStore } from "../../core/store.ts";
import { joined, tables, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, type Row, recordOf } from "../rows.ts";
import type { Database } from "./sql.ts";

export const COLUMNS: string = columnNames(tables.users);

/** An empty list is an absent one. */
const listOrNull = (texts: readonly string[]) => (texts.length === 0 ? null : joined(texts));

const isAdminIn = (groups: string): string => `replace(${groups}, ',${ADMINS},', ',') <> ${groups}`;

/** That another account without an end stays when the user with the ID `$1` goes. */
const OTHER_STAYS = `EXISTS (SELECT 1 FROM {users} AS other
  WHERE other.id <> $1 AND other.ends_at IS NULL)`;

/** The same of the group of administrators, if the user is in it without an end. */
const ADMIN_STAYS = `(ends_at IS NOT NULL OR groups IS NULL OR NOT ${isAdminIn("groups")}
  OR EXISTS (SELECT 1 FROM {users} AS other WHERE other.id <> $1 AND other.ends_at IS NULL
    AND ${isAdminIn("other.groups")}))`;

const condition = (keep: Kept | undefined): string =>
  keep === undefined ? "" : ` AND ${ADMIN_STAYS}`;

/** Returns no row for a taken username. */
export const INSERT_USER: string = `INSERT INTO {users} (${COLUMNS})
  VALUES (${parametersOf(tables.users)}) ON CONFLICT (username) DO NOTHING RETURNING ${COLUMNS}`;

/** The user of a row that an insert has returned. */
export const insertedUser = (row: Row): User => userOf(recordOf(tables.users, row));

/** The methods for users that are the same in both databases. */
export function usersOn({
  ask,
  alone,
  isTaken,
  changed,
}: Database): Omit<UserStore, "insertFirst" | "endSessions" | "endAllSessions"> {
  return {
    any: async () => (await ask("SELECT 1 AS yes FROM {users} LIMIT 1")).length === 1,

    async find(id) {
      const text = `SELECT ${COLUMNS} FROM {users} WHERE id == $1`;
      const [row] = await ask(text, [id], "latchkey_find_user");
      return row && recordOf(tables.users, row);
    },

    async findByName(username) {
      const text = `SELECT ${COLUMNS} FROM {users} WHERE username == $1`;
      const [row] = await ask(text, [username], "latchkey_find_user_by_name");
      return row && recordOf(tables.users, row);
    },

    async read(afterId, limit) {
      const text = `SELECT ${COLUMNS} FROM {users} WHERE id > $1 ORDER BY id LIMIT $2`;
      return (await ask(text, [afterId, limit])).map((row) => recordOf(tables.users, row));
    },

    async insert(user) {
      const id = randomUUID() as UserId;
      const rows = await ask(INSERT_USER, valuesOf(tables.users, { ...user, id }));
      return rows.map(insertedUser)[0];
    },

    async rename(id, username) {
      try {
        const text = "UPDATE {users} SET username = $2 WHERE id == $1 RETURNING id";
        if ((await ask(text, [id, username])).length === 0) return "missing";
        changed(id);
        return "renamed";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      }
    },

    async setGroups(id, groups, keep) {
      const stays = groups.includes(ADMINS) ? "" : condition(keep);
      const text = `UPDATE {users} SET groups = $2 WHERE id == $1${stays} RETURNING id`;
      const outcome = await alone<"set" | "last-admin" | "missing">(function* () {
        if ((yield [text, [id, listOrNull(groups)]]).length === 1) return "set";
        const found = yield ["SELECT 1 AS yes FROM {users} WHERE id == $1", [id]];
        return found.length === 0 ? "missing" : "last-admin";
      });
      changed(id);
      return outcome;
    },

    async remove(id, keep) {
      const text = `DELETE FROM {users} WHERE id == $1 AND ${OTHER_STAYS}${condition(keep)}
        RETURNING id`;
      const outcome = await alone<"removed" | "last" | "last-admin" | "missing">(function* () {
        if ((yield [text, [id]]).length === 1) return "removed";
        const [found] = yield [`SELECT ${OTHER_STAYS} AS other FROM {users} WHERE id == $1`, [id]];
        if (found === undefined) return "missing";
        return found.other ? "last-admin" : "last";
      });
      changed(id);
      return outcome;
    },

    async replaceHash(id, from, to) {
      const text = `UPDATE {users} SET password_hash = $3
        WHERE id == $1 AND password_hash == $2 RETURNING id`;
      return (await ask(text, [id, from, to])).length === 1;
    },
  };
}

/**
 * The next `sessions_from`. Always increases, so that a clock that is behind, or the same second,
 * cannot revive a session.
 */
export const RAISED = `CASE WHEN coalesce(now.sessions_from, 0) < $1 THEN $1
  ELSE now.sessions_from + 1 END`;

/** @param was The user's `sessions_from` until then, and whether the asker had ended by itself. */
export const endOfSessions = (
  sessionsFrom: unknown,
  was: { readonly from: unknown; readonly ended: boolean },
  asker: AskingSession | undefined,
): EndOfSessions => {
  const isValid = asker !== undefined && !was.ended && Number(was.from ?? 0) <= asker.validUpTo;
  return { sessionsFrom: Number(sessionsFrom), asker: isValid ? "was-valid" : "had-ended" };
};
