import { randomUUID } from "node:crypto";
import { type Link, NO_PASSWORD, type User, type UserId, userOf } from "../../core/records.ts";
import { nextSecond } from "../../core/sessions/session-token.ts";
import type { LinkStore } from "../../core/store.ts";
import { columnsOf, rowOf, tables, timeOf } from "../../core/tables.ts";
import { columnNames, insertInto, type StatementPorts, statementsOn } from "./sql.ts";
import {
  endingSessions,
  insertedUser,
  insertingUser,
  isAdminIn,
  LOCK_USER,
  REMOVE_LINKS,
} from "./users.ts";

const RESET = `UPDATE {users} SET password_hash = $2 WHERE id == $1
  RETURNING ${columnNames(tables.users)}`;

/** A link of an administrator ends with that account, its group and its sessions. */
const makerStays = (id: string, validUpTo: string, now: string): string =>
  `EXISTS (SELECT 1 FROM {users} AS maker
    WHERE maker.id == ${id} AND (maker.ends_at IS NULL OR maker.ends_at > ${now})
      AND maker.password_hash <> '${NO_PASSWORD}' AND ${isAdminIn("maker.groups")}
      AND coalesce(maker.sessions_from, 0) <= ${validUpTo})`;

/**
 * The present time is the second parameter. A link that names an administrator without the ID was
 * made before links had it, and cannot be checked.
 */
const OPEN = `uses_left > 0 AND expires_at > $2 AND (maker_id IS NULL AND made_by IS NULL
  OR ${makerStays("maker_id", "maker_valid_up_to", "$2")})`;

/** The parameter of a field when a link is inserted. */
const parameterOf = (field: keyof Link): string =>
  `$${columnsOf(tables.links).findIndex(([name]) => name === field) + 1}`;

/** The end of the account is checked at each use. */
const INSERT_MADE = `${insertInto(
  "links",
  makerStays(parameterOf("makerId"), `CAST(${parameterOf("makerValidUpTo")} AS bigint)`, "0"),
)} RETURNING id`;

/** The methods for one-time links. */
export function linksOn({ ask, inOneStep, changed }: StatementPorts): LinkStore {
  const links = statementsOn(ask, "links", tables.links);
  const users = statementsOn(ask, "users", tables.users);
  const names = statementsOn(ask, "used_names", tables.used_names);
  return {
    async insert(link) {
      const { makerId } = link;
      if (makerId === undefined) return links.insert(link);
      // Locks the maker first, so that leaving the group at the same moment removes the link too.
      return inOneStep<boolean>(function* () {
        yield [LOCK_USER, [makerId]];
        return (yield [INSERT_MADE, rowOf(tables.links, link)]).length === 1;
      });
    },

    find: async (tokenHash, now) =>
      links.first(`WHERE token_hash == $1 AND ${OPEN}`, [tokenHash, timeOf(now)]),

    read: async (afterId, limit, now) =>
      links.select(`WHERE id > $1 AND ${OPEN} ORDER BY id LIMIT $3`, [afterId, timeOf(now), limit]),

    async use({ id, purpose, userId, makerId }, account, now) {
      // Sorted, so that two uses do not wait for each other.
      const involved = [...new Set([userId, makerId])].filter((one) => one !== undefined).sort();
      const user = await inOneStep<User | "taken" | "gone">(function* () {
        // Locks users before the links, as a removal does, so that none waits for the other. Until
        // the account exists, the maker is neither removed nor signed out, and keeps the group.
        for (const user of involved) yield [LOCK_USER, [user]];
        // Locks the row first, so that one of several at the same time gets the last use.
        const text = `UPDATE {links} SET uses_left = uses_left - 1 WHERE id == $1 AND ${OPEN}`;
        const used = yield [`${text} RETURNING id`, [id, timeOf(now)]];
        if (used.length === 0) return "gone";
        if (userId === undefined) {
          const made = yield* insertingUser({ ...account, id: randomUUID() as UserId });
          if (made !== undefined) return made;
          yield ["UPDATE {links} SET uses_left = uses_left + 1 WHERE id == $1", [id]];
          return "taken";
        }
        const [row] = yield [RESET, [userId, account.passwordHash]];
        if (row === undefined) return "gone";
        yield* endingSessions(userId, nextSecond({ now: () => now.getTime() }));
        yield [REMOVE_LINKS, [userId]];
        if (purpose === "reset-codes-off")
          yield ["DELETE FROM {codes} WHERE user_id == $1", [userId]];
        return insertedUser(row);
      });
      if (typeof user === "object") changed(user.id);
      return user;
    },

    async revoke(id, now) {
      return (await links.remove(`WHERE id == $1 AND ${OPEN}`, [id, timeOf(now)]))[0];
    },

    async removeEnded(now) {
      await links.remove("WHERE expires_at <= $1", [timeOf(now)]);
      await names.remove("WHERE expires_at <= $1", [timeOf(now)]);
      // An account without an end is always left: without any, anyone could set up the server.
      const removed = await users.remove(
        `WHERE ends_at <= $1 AND password_hash == $2
           AND EXISTS (SELECT 1 FROM {users} AS other WHERE other.ends_at IS NULL)`,
        [timeOf(now), NO_PASSWORD],
      );
      return removed.map(userOf);
    },
  };
}
