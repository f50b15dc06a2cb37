import { randomUUID } from "node:crypto";
import { ADMINS } from "../../core/accounts/set-groups.ts";
import { nameKeyOf } from "../../core/base/names.ts";
import {
  type Person,
  type StoredUser,
  type User,
  type UserId,
  userOf,
} from "../../core/records.ts";
import type { EndOfSessions, Kept, PeopleStore, UserStore } from "../../core/store.ts";
import { rowOf, storedTexts, tables, timeOf } from "../../core/tables.ts";
import { CLAIM_NAME, CLAIM_NAME_AGAIN, TAKE_NAME, usedNameRow } from "./names.ts";
import {
  columnNames,
  type FoundRow,
  insertInto,
  type Parameters,
  recordOf,
  type StatementPorts,
  type Steps,
  statementsOn,
} from "./sql.ts";

const COLUMNS = columnNames(tables.users);
const RETURNING = `RETURNING ${COLUMNS}`;

/** An empty list is an absent one. */
const listOrNull = (texts: readonly string[]) => (texts.length === 0 ? null : storedTexts(texts));

export const isAdminIn = (groups: string): string =>
  `replace(${groups}, ',${ADMINS},', ',') <> ${groups}`;

/** That another account without an end stays when the user with the ID `$1` goes. */
const OTHER_STAYS = `EXISTS (SELECT 1 FROM {users} AS other
  WHERE other.id <> $1 AND other.ends_at IS NULL)`;

/** The same of the group of administrators, if the user is in it without an end. */
const ADMIN_STAYS = `(ends_at IS NOT NULL OR groups IS NULL OR NOT ${isAdminIn("groups")}
  OR EXISTS (SELECT 1 FROM {users} AS other WHERE other.id <> $1 AND other.ends_at IS NULL
    AND ${isAdminIn("other.groups")}))`;

const condition = (keep: Kept | undefined): string =>
  keep === undefined ? "" : ` AND ${ADMIN_STAYS}`;

const INSERT_FIRST = `${insertInto("users", "NOT EXISTS (SELECT 1 FROM {users})")} ${RETURNING}`;

const INSERT_USER = `${insertInto("users")} ON CONFLICT (username) DO NOTHING ${RETURNING}`;

/** Inserts a user whose username was free. */
export function* insertingUser(user: StoredUser): Steps<User | undefined> {
  if ((yield [CLAIM_NAME, usedNameRow(user)]).length === 0) return undefined;
  // An instance of an older version may have inserted the username, and stays noted as used.
  return (yield [INSERT_USER, rowOf(tables.users, user)]).map(insertedUser)[0];
}

/** The user of a row that an insert has returned. */
export const insertedUser = (row: FoundRow): User => userOf(recordOf(tables.users, row));

/**
 * The next `sessions_from`. Always increases, so that a clock that is behind, or the same second,
 * cannot revive a session.
 */
const RAISE_ALL = `UPDATE {users} AS now SET sessions_from =
  CASE WHEN coalesce(now.sessions_from, 0) < $1 THEN $1 ELSE now.sessions_from + 1 END`;

/** Changes nothing, but locks the row. */
export const LOCK_USER = "UPDATE {users} SET sessions_from = sessions_from WHERE id == $1";

/** Part of each new password: an unused link, such as one in an old mail, would take the account over. */
export const REMOVE_LINKS = "DELETE FROM {links} WHERE user_id == $1";

/** Part of leaving the group `admins`: the links must not work again after a return to it. */
const REMOVE_MADE_LINKS = "DELETE FROM {links} WHERE maker_id == $1";

/** Ends the sessions of a user, and returns its `sessions_from`; `undefined` for an unknown user. */
export function* endingSessions(id: UserId, before: number): Steps<number | undefined> {
  const [now] = yield [`${RAISE_ALL} WHERE id == $2 RETURNING sessions_from`, [before, id]];
  yield ["DELETE FROM {sessions} WHERE user_id == $1 AND ended_at IS NULL", [id]];
  return now && Number(now.sessions_from);
}

function* renaming(id: UserId, username: string): Steps<"renamed" | "taken" | "missing"> {
  const [found] = yield [`${LOCK_USER} ${RETURNING}`, [id]];
  if (found === undefined) return "missing";
  const user = recordOf(tables.users, found);
  const renamed = { ...user, username };
  const [, stored = null] = rowOf(tables.users, renamed);
  // An instance of an older version may have inserted the user, and noted nothing.
  yield [CLAIM_NAME, usedNameRow(user)];
  const isOwn = nameKeyOf(user.username) === nameKeyOf(username);
  if (!isOwn && (yield [CLAIM_NAME_AGAIN, usedNameRow(renamed)]).length === 0) return "taken";
  yield ["UPDATE {users} SET username = $2 WHERE id == $1", [id, stored]];
  return "renamed";
}

/** The methods for users. */
export function usersOn({
  ask,
  inOneStep,
  slowly,
  alone,
  claimFirst,
  isTaken,
  changed,
}: StatementPorts): UserStore {
  const users = statementsOn(ask, "users", tables.users);
  const names = statementsOn(ask, "used_names", tables.used_names);
  return {
    any: () => users.any(""),
    find: (id) => users.first("WHERE id == $1", [id], "latchkey_find_user"),
    findByName: (username) =>
      users.first("WHERE username == $1", [username], "latchkey_find_user_by_name"),
    read: (afterId, limit) => users.select("WHERE id > $1 ORDER BY id LIMIT $2", [afterId, limit]),

    insertFirst: (user) =>
      inOneStep<User | undefined>(function* () {
        if ((yield [claimFirst, []]).length === 0) return undefined;
        const first = { ...user, id: randomUUID() as UserId };
        const [inserted] = yield [INSERT_FIRST, rowOf(tables.users, first)];
        if (inserted === undefined) return undefined;
        yield [TAKE_NAME, usedNameRow(first)];
        return insertedUser(inserted);
      }),

    insert: (user) => inOneStep(() => insertingUser({ ...user, id: randomUUID() as UserId })),

    async rename(id, username) {
      try {
        const outcome = await inOneStep(() => renaming(id, username));
        if (outcome === "renamed") changed(id);
        return outcome;
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      }
    },

    isNameUsed: async (username) =>
      (await names.any("WHERE id == $1", [nameKeyOf(username)])) ||
      (await users.any("WHERE username == $1", [username])),

    forgetName: async (username) =>
      (await names.remove("WHERE id == $1", [nameKeyOf(username)])).length === 1,

    async setGroups(id, groups, keep) {
      const stays = groups.includes(ADMINS) ? "" : condition(keep);
      const text = `UPDATE {users} SET groups = $2 WHERE id == $1${stays} RETURNING id`;
      const outcome = await alone<"set" | "last-admin" | "missing">(function* () {
        if ((yield [text, [id, listOrNull(groups)]]).length === 1) {
          if (!groups.includes(ADMINS)) yield [REMOVE_MADE_LINKS, [id]];
          return "set";
        }
        const found = yield ["SELECT 1 AS yes FROM {users} WHERE id == $1", [id]];
        return found.length === 0 ? "missing" : "last-admin";
      });
      changed(id);
      return outcome;
    },

    async remove(id, keep) {
      const text = `DELETE FROM {users} WHERE id == $1 AND ${OTHER_STAYS}${condition(keep)}
        ${RETURNING}`;
      const outcome = await alone<"removed" | "last" | "last-admin" | "missing">(function* () {
        const [removed] = yield [text, [id]];
        if (removed !== undefined) {
          yield [CLAIM_NAME, usedNameRow(recordOf(tables.users, removed))];
          return "removed";
        }
        const [found] = yield [`SELECT ${OTHER_STAYS} AS other FROM {users} WHERE id == $1`, [id]];
        if (found === undefined) return "missing";
        return found.other ? "last-admin" : "last";
      });
      changed(id);
      return outcome;
    },

    replaceHash: (id, from, to, keep) =>
      inOneStep<boolean>(function* () {
        const text = "UPDATE {users} SET password_hash = $3 WHERE id == $1 AND password_hash == $2";
        const isReplaced = (yield [`${text} RETURNING id`, [id, from, to]]).length === 1;
        if (isReplaced && keep !== "links") yield [REMOVE_LINKS, [id]];
        return isReplaced;
      }),

    async endSessions(id, before, asker) {
      const ended = await inOneStep<EndOfSessions | undefined>(function* () {
        // No other end comes between this and the next one.
        const [was] = yield [`${LOCK_USER} RETURNING sessions_from`, [id]];
        if (was === undefined) return undefined;
        const gone = yield [
          "SELECT 1 AS yes FROM {sessions} WHERE id == $1 AND ended_at IS NOT NULL",
          [asker?.id ?? null],
        ];
        const sessionsFrom = (yield* endingSessions(id, before)) ?? before;
        const isValid =
          asker !== undefined &&
          gone.length === 0 &&
          Number(was.sessions_from ?? 0) <= asker.validUpTo;
        return { sessionsFrom, asker: isValid ? "was-valid" : "had-ended" };
      });
      changed(id);
      return ended;
    },

    async endAllSessions(before) {
      const count = await slowly<number>(function* () {
        yield [RAISE_ALL, [before]];
        yield ["DELETE FROM {sessions} WHERE ended_at IS NULL", []];
        const [row] = yield ["SELECT count(*) AS users FROM {users}", []];
        return Number(row?.users);
      });
      changed("all");
      return count;
    },
  };
}

/** The entries of the log that begin a session. */
const SIGN_INS = ["signin", "signup", "link_use"];

const toLower = (letter: string): string => letter.toLowerCase();

/** Reads the facts of one page of people in one statement. */
export function peopleOn({ ask }: StatementPorts): PeopleStore {
  return {
    async list({ search, after = "", before, limit, now }) {
      const values: Parameters[number][] = [timeOf(now), limit, before ?? after, SIGN_INS];
      const at = search === "" ? 0 : values.push(search.replace(/[A-Z]/g, toLower));
      // Of a column with the collation "C", as in SQLite, this lowers ASCII letters only.
      const found = `AND replace(lower(username), $${at}, '') <> lower(username)`;
      const [side, order] = before === undefined ? [">", "ASC"] : ["<", "DESC"];
      const rows = await ask(
        `SELECT ${COLUMNS},
           (SELECT count(*) FROM {sessions}
            WHERE user_id == page.id AND expires_at > $1 AND ended_at IS NULL) AS sessions,
           EXISTS (SELECT 1 FROM {codes} WHERE user_id == page.id AND secret IS NOT NULL) AS codes,
           EXISTS (SELECT 1 FROM {passkeys} WHERE user_id == page.id) AS passkeys,
           (SELECT at FROM {log} WHERE user_id == page.id AND type IN {$4}
            ORDER BY id DESC LIMIT 1) AS signed_in_at
         FROM (SELECT ${COLUMNS} FROM {users} WHERE username ${side} $3 ${at === 0 ? "" : found}
               ORDER BY username ${order} LIMIT $2) AS page
         ORDER BY username`,
        values,
      );
      return rows.map((row): Person => {
        const { sessions, codes, passkeys, signed_in_at: signedInAt } = row;
        const stored = recordOf(tables.users, row);
        return {
          user: userOf(stored),
          ...(stored.endsAt && { endsAt: stored.endsAt }),
          ...(signedInAt !== null && { signedInAt: new Date(Number(signedInAt)) }),
          sessions: Number(sessions),
          codes: Boolean(codes),
          passkeys: Boolean(passkeys),
        };
      });
    },
  };
}
