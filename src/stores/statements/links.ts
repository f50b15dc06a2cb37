import { randomUUID } from "node:crypto";
import { type Link, NO_PASSWORD, type User, type UserId } from "../../core/records.ts";
import type { LinkStore } from "../../core/store.ts";
import { tables, timeOf, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, type Row, recordOf } from "../rows.ts";
import type { Database, InOneStep } from "./sql.ts";
import { INSERT_USER, insertedUser, RAISED, COLUMNS as USER_COLUMNS } from "./users.ts";

const COLUMNS = columnNames(tables.links);
const OPEN = "uses_left > 0 AND expires_at > $2";
/** Holds the lock on the row, so that one of several at the same time gets the last use. */
const USE = `UPDATE {links} SET uses_left = uses_left - 1 WHERE id == $1 AND ${OPEN}
  RETURNING purpose, user_id`;

const linkOf = (row: Row | undefined): Link | undefined => row && recordOf(tables.links, row);

/** The methods for one-time links. */
export function linksOn({ ask, changed }: Database, inOneStep: InOneStep): LinkStore {
  return {
    async insert(link) {
      const text = `INSERT INTO {links} (${COLUMNS}) VALUES (${parametersOf(tables.links)})`;
      await ask(text, valuesOf(tables.links, link));
    },

    async find(tokenHash, now) {
      const text = `SELECT ${COLUMNS} FROM {links} WHERE token_hash == $1 AND ${OPEN}`;
      return linkOf((await ask(text, [tokenHash, timeOf(now)]))[0]);
    },

    async read(afterId, limit, now) {
      const text = `SELECT ${COLUMNS} FROM {links} WHERE id > $1 AND ${OPEN} ORDER BY id LIMIT $3`;
      const rows = await ask(text, [afterId, timeOf(now), limit]);
      return rows.map((row) => recordOf(tables.links, row));
    },

    useForAccount: (id, user, now) =>
      inOneStep<User | "taken" | "gone">(function* () {
        const used = yield [USE, [id, timeOf(now)]];
        if (used.length === 0) return "gone";
        const row = valuesOf(tables.users, { ...user, id: randomUUID() as UserId });
        const [inserted] = yield [INSERT_USER, row];
        if (inserted !== undefined) return insertedUser(inserted);
        yield ["UPDATE {links} SET uses_left = uses_left + 1 WHERE id == $1", [id]];
        return "taken";
      }),

    async useForPassword(id, { hash, endBefore }, now) {
      const user = await inOneStep<User | "gone">(function* () {
        const [used] = yield [USE, [id, timeOf(now)]];
        if (used === undefined) return "gone";
        const userId = String(used.user_id);
        const text = `UPDATE {users} AS now SET password_hash = $3, sessions_from = ${RAISED}
          WHERE id == $2 RETURNING ${USER_COLUMNS}`;
        const [changedRow] = yield [text, [endBefore, userId, hash]];
        if (changedRow === undefined) return "gone";
        yield ["DELETE FROM {sessions} WHERE user_id == $1 AND ended_at IS NULL", [userId]];
        if (used.purpose === "reset-codes-off")
          yield ["DELETE FROM {codes} WHERE user_id == $1", [userId]];
        return insertedUser(changedRow);
      });
      if (user !== "gone") changed(user.id);
      return user;
    },

    async revoke(id, now) {
      const text = `DELETE FROM {links} WHERE id == $1 AND ${OPEN} RETURNING ${COLUMNS}`;
      return linkOf((await ask(text, [id, timeOf(now)]))[0]);
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
