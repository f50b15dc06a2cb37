import type { KeyStore } from "../../core/store.ts";
import { columnsOf, tables, timeOf, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, type Row, recordOf } from "../rows.ts";
import { USE_PRECISION_MS } from "./sessions.ts";
import type { Database } from "./sql.ts";

const COLUMNS = columnNames(tables.keys);
/** The parameter after those of `parametersOf`. */
const LIMIT = `$${columnsOf(tables.keys).length + 1}`;

const keyOf = (row: Row) => recordOf(tables.keys, row);

/** The methods for keys. */
export function keysOn({ ask, changed }: Database): KeyStore {
  return {
    async find(hash) {
      const text = `SELECT ${COLUMNS} FROM {keys} WHERE hash == $1`;
      return (await ask(text, [hash], "latchkey_find_key")).map(keyOf)[0];
    },

    async listOf(user) {
      const text = `SELECT ${COLUMNS} FROM {keys} WHERE user_id == $1 ORDER BY created_at, id`;
      return (await ask(text, [user])).map(keyOf);
    },

    async insert(key, limit) {
      const rows = await ask(
        `INSERT INTO {keys} (${COLUMNS})
         SELECT ${parametersOf(tables.keys)}
         WHERE EXISTS (SELECT 1 FROM {users} WHERE id == $2)
           AND (SELECT count(*) FROM {keys} WHERE user_id == $2) < ${LIMIT}
         ON CONFLICT DO NOTHING RETURNING id`,
        [...valuesOf(tables.keys, key), limit],
      );
      return rows.length === 1;
    },

    async remove(id, of) {
      const own = of === undefined ? "" : "AND user_id == $2";
      const text = `DELETE FROM {keys} WHERE id == $1 ${own} RETURNING ${COLUMNS}`;
      const [key] = (await ask(text, of === undefined ? [id] : [id, of])).map(keyOf);
      if (key !== undefined) changed(key.userId);
      return key;
    },

    async noteUsed(id, at) {
      const text = `UPDATE {keys} SET used_at = $1
        WHERE id == $2 AND (used_at IS NULL OR used_at <= $3)`;
      await ask(text, [timeOf(at), id, timeOf(at) - USE_PRECISION_MS]);
    },
  };
}
