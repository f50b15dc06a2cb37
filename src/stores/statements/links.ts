import { randomUUID } from "node:crypto";
import { NO_PASSWORD, type User, type UserId } from "../../core/records.ts";
import { nextSecond } from "../../core/sessions/session-token.ts";
import type { LinkStore } from "../../core/store.ts";
import { tables, timeOf, type Value, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, recordOf } from "../rows.ts";
import type { Database, InOneStep } from "./sql.ts";
import { INSERT_USER, insertedUser, RAISED, COLUMNS as USER_COLUMNS } from "./users.ts";

const COLUMNS = columnNames(tables.links);
const RESET = `UPDATE {users} AS now SET password_hash = $3, sessions_from = ${RAISED}
  WHERE id == $2 RETURNING ${USER_COLUMNS}`;
const OPEN = "uses_left > 0 AND expires_at > $2";

/** The methods for one-time links. */
export function linksOn({ ask, changed }: Database, inOneStep: InOneStep): LinkStore {
  const askLinks = async (text: string, ...values: readonly Value[]) =>
    (await ask(text, values)).map((row) => recordOf(tables.links, row));
  return {
    async insert(link) {
      const text = `INSERT INTO {links} (${COLUMNS}) VALUES (${parametersOf(tables.links)})`;
      await ask(text, valuesOf(tables.links, link));
    },

    async find(tokenHash, now) {
      const text = `SELECT ${COLUMNS} FROM {links} WHERE token_hash == $1 AND ${OPEN}`;
      return (await askLinks(text, tokenHash, timeOf(now)))[0];
    },

    read(afterId, limit, now) {
      const text = `SELECT ${COLUMNS} FROM {links} WHERE id > $1 AND ${OPEN} ORDER BY id LIMIT $3`;
      return askLinks(text, afterId, timeOf(now), limit);
    },

    async use({ id, purpose, userId }, account, now) {
      const user = await inOneStep<User | "taken" | "gone">(function* () {
        // Locks the row first, so that one of several at the same time gets the last use.
        const text = `UPDATE {links} SET uses_left = uses_left - 1 WHERE id == $1 AND ${OPEN}`;
        const used = yield [`${text} RETURNING id`, [id, timeOf(now)]];
        if (used.length === 0) return "gone";
        const [row] = yield userId === undefined
          ? [INSERT_USER, valuesOf(tables.users, { ...account, id: randomUUID() as UserId })]
          : [RESET, [nextSecond({ now: () => now.getTime() }), userId, account.passwordHash]];
        if (row === undefined) {
          yield ["UPDATE {links} SET uses_left = uses_left + 1 WHERE id == $1", [id]];
          return "taken";
        }
        if (userId !== undefined)
          yield ["DELETE FROM {sessions} WHERE user_id == $1 AND ended_at IS NULL", [userId]];
        if (userId !== undefined && purpose === "reset-codes-off")
          yield ["DELETE FROM {codes} WHERE user_id == $1", [userId]];
        return insertedUser(row);
      });
      if (typeof user === "object") changed(user.id);
      return user;
    },

    async revoke(id, now) {
      const text = `DELETE FROM {links} WHERE id == $1 AND ${OPEN} RETURNING ${COLUMNS}`;
      return (await askLinks(text, id, timeOf(now)))[0];
    },

    async removeEnded(now) {
      await ask("DELETE FROM {links} WHERE expires_at <= $1", [timeOf(now)]);
      // An account without an end is always left: without any, anyone could set up the server.
      const text = `DELETE FROM {users} WHERE ends_at <= $1 AND password_hash == $2
        AND EXISTS (SELECT 1 FROM {users} AS other WHERE other.ends_at IS NULL)
        RETURNING ${USER_COLUMNS}`;
      return (await ask(text, [timeOf(now), NO_PASSWORD])).map(insertedUser);
    },
  };
}
