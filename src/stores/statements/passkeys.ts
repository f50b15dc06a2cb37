import type { PasskeyStore } from "../../core/store.ts";
import { columnsOf, tables, timeOf, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, recordOf } from "../rows.ts";
import { removeExpired } from "./sessions.ts";
import type { Database } from "./sql.ts";

const COLUMNS = columnNames(tables.passkeys);
/** The parameters after those of `parametersOf`. */
const LIMIT = `$${columnsOf(tables.passkeys).length + 1}`;
const SESSIONS_FROM = `$${columnsOf(tables.passkeys).length + 2}`;

/** The methods for passkeys. */
export function passkeysOn({ ask, alone }: Pick<Database, "ask" | "alone">): PasskeyStore {
  return {
    any: async () => (await ask("SELECT 1 AS yes FROM {passkeys} LIMIT 1")).length === 1,

    async listOf(user) {
      const text = `SELECT ${COLUMNS} FROM {passkeys} WHERE user_id == $1 ORDER BY added_at, id`;
      return (await ask(text, [user])).map((row) => recordOf(tables.passkeys, row));
    },

    // Alone, so that none is inserted while `codes.endFactors` removes them.
    insert: (passkey, limit, sessionsFrom = 0) =>
      alone<boolean>(function* () {
        const rows = yield [
          `INSERT INTO {passkeys} (${COLUMNS})
           SELECT ${parametersOf(tables.passkeys)}
           WHERE EXISTS (SELECT 1 FROM {users}
               WHERE id == $2 AND coalesce(sessions_from, 0) == ${SESSIONS_FROM})
             AND (SELECT count(*) FROM {passkeys} WHERE user_id == $2) < ${LIMIT}
           ON CONFLICT (id) DO NOTHING RETURNING id`,
          [...valuesOf(tables.passkeys, passkey), limit, sessionsFrom],
        ];
        return rows.length === 1;
      }),

    async rename(user, id, name) {
      const text = "UPDATE {passkeys} SET name = $3 WHERE id == $2 AND user_id == $1 RETURNING id";
      return (await ask(text, [user, id, name])).length === 1;
    },

    async remove(user, id) {
      const text = "DELETE FROM {passkeys} WHERE id == $2 AND user_id == $1 RETURNING id";
      return (await ask(text, [user, id])).length === 1;
    },

    async answer(challenge, now) {
      await removeExpired(ask, "answers", timeOf(now));
      const rows = await ask(
        `INSERT INTO {answers} (${columnNames(tables.answers)}) VALUES (${parametersOf(tables.answers)})
         ON CONFLICT (id) DO NOTHING RETURNING id`,
        valuesOf(tables.answers, challenge),
      );
      return rows.length === 1;
    },

    async use(user, id, counter, at) {
      const text = `UPDATE {passkeys} SET counter = $3, used_at = $4
        WHERE id == $2 AND user_id == $1 AND (counter == 0 OR counter < $3) RETURNING id`;
      return (await ask(text, [user, id, counter, timeOf(at)])).length === 1;
    },
  };
}
