import { randomUUID } from "node:crypto";
import { NO_PASSWORD, type User, type UserId, userOf } from "../../core/records.ts";
import { nextSecond } from "../../core/sessions/session-token.ts";
import type { LinkStore } from "../../core/store.ts";
import { tables, timeOf } from "../../core/tables.ts";
import { columnNames, type StatementPorts, statementsOn } from "./sql.ts";
import { endingSessions, insertedUser, insertingUser, LOCK_USER, REMOVE_LINKS } from "./users.ts";

const RESET = `UPDATE {users} SET password_hash = $2 WHERE id == $1
  RETURNING ${columnNames(tables.users)}`;
const OPEN = "uses_left > 0 AND expires_at > $2";

/** The methods for one-time links. */
export function linksOn({ ask, inOneStep, changed }: StatementPorts): LinkStore {
  const links = statementsOn(ask, "links", tables.links);
  const users = statementsOn(ask, "users", tables.users);
  const names = statementsOn(ask, "used_names", tables.used_names);
  return {
    async insert(link) {
      await links.insert(link);
    },

    find: async (tokenHash, now) =>
      links.first(`WHERE token_hash == $1 AND ${OPEN}`, [tokenHash, timeOf(now)]),

    read: async (afterId, limit, now) =>
      links.select(`WHERE id > $1 AND ${OPEN} ORDER BY id LIMIT $3`, [afterId, timeOf(now), limit]),

    async use({ id, purpose, userId }, account, now) {
      const user = await inOneStep<User | "taken" | "gone">(function* () {
        // Locks the user before the links, as a removal does, so that none waits for the other.
        if (userId !== undefined) yield [LOCK_USER, [userId]];
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
