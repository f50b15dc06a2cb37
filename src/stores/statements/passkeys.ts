import type { PasskeyStore } from "../../core/store.ts";
import { columnsOf, rowOf, tables, timeOf } from "../../core/tables.ts";
import { insertInto, type StatementPorts, statementsOn } from "./sql.ts";

/** The limit and the `sessions_from` of the user follow the values of the passkey. */
const OWN = columnsOf(tables.passkeys).length;
const INSERT = `${insertInto(
  "passkeys",
  `EXISTS (SELECT 1 FROM {users} WHERE id == $2 AND coalesce(sessions_from, 0) == $${OWN + 2})
     AND (SELECT count(*) FROM {passkeys} WHERE user_id == $2) < $${OWN + 1}`,
)} ON CONFLICT (id) DO NOTHING RETURNING id`;

/** The methods for passkeys. */
export function passkeysOn({ ask, alone }: StatementPorts): PasskeyStore {
  const passkeys = statementsOn(ask, "passkeys", tables.passkeys);
  const answers = statementsOn(ask, "answers", tables.answers);
  return {
    any: () => passkeys.any(""),
    listOf: (user) => passkeys.select("WHERE user_id == $1 ORDER BY added_at, id", [user]),

    // Alone, so that none is inserted while `codes.endFactors` removes them.
    insert: (passkey, limit, sessionsFrom = 0) =>
      alone<boolean>(function* () {
        const values = [...rowOf(tables.passkeys, passkey), limit, sessionsFrom];
        return (yield [INSERT, values]).length === 1;
      }),

    rename: (user, id, name) =>
      passkeys.update("SET name = $3 WHERE id == $2 AND user_id == $1", [user, id, name]),

    remove: async (user, id) =>
      (await passkeys.remove("WHERE id == $2 AND user_id == $1", [user, id])).length === 1,

    async answer(challenge, now) {
      await answers.removeExpired(now);
      return answers.insert(challenge, "ON CONFLICT (id) DO NOTHING");
    },

    use: async (user, id, counter, at) =>
      passkeys.update(
        `SET counter = $3, used_at = $4
         WHERE id == $2 AND user_id == $1 AND (counter == 0 OR counter < $3)`,
        [user, id, counter, timeOf(at)],
      ),
  };
}
