import { USE_PRECISION_MS } from "../../core/sessions/user-memory.ts";
import type { KeyStore } from "../../core/store.ts";
import { columnsOf, rowOf, tables, timeOf } from "../../core/tables.ts";
import { insertInto, type StatementPorts, statementsOn } from "./sql.ts";

/** The limit follows the values of the key. */
const INSERT = `${insertInto(
  "keys",
  `EXISTS (SELECT 1 FROM {users} WHERE id == $2)
     AND (SELECT count(*) FROM {keys} WHERE user_id == $2) < $${columnsOf(tables.keys).length + 1}`,
)} ON CONFLICT DO NOTHING RETURNING id`;

/** The methods for keys. */
export function keysOn({ ask, changed }: StatementPorts): KeyStore {
  const keys = statementsOn(ask, "keys", tables.keys);
  return {
    find: (hash) => keys.first("WHERE hash == $1", [hash], "latchkey_find_key"),
    listOf: (user) => keys.select("WHERE user_id == $1 ORDER BY created_at, id", [user]),

    insert: async (key, limit) =>
      (await ask(INSERT, [...rowOf(tables.keys, key), limit])).length === 1,

    async remove(id, of) {
      const [key] =
        of === undefined
          ? await keys.remove("WHERE id == $1", [id])
          : await keys.remove("WHERE id == $1 AND user_id == $2", [id, of]);
      if (key !== undefined) changed(key.userId);
      return key;
    },

    async noteUsed(id, at) {
      const unlessRecent = "WHERE id == $2 AND (used_at IS NULL OR used_at <= $3)";
      const values = [timeOf(at), id, timeOf(at) - USE_PRECISION_MS];
      await keys.update(`SET used_at = $1 ${unlessRecent}`, values);
    },
  };
}
