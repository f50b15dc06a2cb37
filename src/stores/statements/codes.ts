import type { CodeStore } from "../../core/store.ts";
import { joined, tables } from "../../core/tables.ts";
import { columnNames, recordOf } from "../rows.ts";
import type { Database } from "./sql.ts";
import { RAISED } from "./users.ts";

/** The methods for one-time codes. A row without a secret is the mark of a begun enrolment. */
export function codesOn({
  ask,
  alone,
  changed,
}: Pick<Database, "ask" | "alone" | "changed">): CodeStore {
  return {
    any: async () =>
      (await ask("SELECT 1 AS yes FROM {codes} WHERE secret IS NOT NULL LIMIT 1")).length === 1,

    async find(user) {
      const text = `SELECT ${columnNames(tables.codes)} FROM {codes} WHERE user_id == $1`;
      const [row] = await ask(text, [user]);
      if (row === undefined) return undefined;
      const { userId: _, begun: __, secret, ...codes } = recordOf(tables.codes, row);
      return secret === undefined ? undefined : { ...codes, secret };
    },

    async begin(user, mark) {
      const rows = await ask(
        `INSERT INTO {codes} AS known (user_id, begun, last_step, recovery, wrong)
         VALUES ($1, $2, 0, ',', 0)
         ON CONFLICT (user_id) DO UPDATE SET begun = excluded.begun WHERE known.secret IS NULL
         RETURNING user_id`,
        [user, mark],
      );
      return rows.length === 1;
    },

    async turnOn(user, mark, { secret, lastStep, recovery, wrong }) {
      const text = `UPDATE {codes}
        SET begun = NULL, secret = $3, last_step = $4, recovery = $5, wrong = $6
        WHERE user_id == $1 AND begun == $2 AND secret IS NULL RETURNING user_id`;
      const values = [user, mark, secret, lastStep, joined(recovery), wrong];
      return (await ask(text, values)).length === 1;
    },

    async turnOff(user) {
      const text = "DELETE FROM {codes} WHERE user_id == $1 RETURNING secret";
      const [row] = await ask(text, [user]);
      return typeof row?.secret === "string";
    },

    async endFactors(user, before) {
      const isKnown = await alone<boolean>(function* () {
        const text = `UPDATE {users} AS now SET sessions_from = ${RAISED} WHERE id == $2`;
        const rows = yield [`${text} RETURNING id`, [before, user]];
        for (const table of ["codes", "devices", "passkeys"])
          yield [`DELETE FROM {${table}} WHERE user_id == $1`, [user]];
        yield ["DELETE FROM {sessions} WHERE user_id == $1 AND ended_at IS NULL", [user]];
        return rows.length === 1;
      });
      changed(user);
      return isKnown;
    },

    async useStep(user, step, secret, limit) {
      const text = `UPDATE {codes} SET last_step = $2, secret = $3, wrong = 0
        WHERE user_id == $1 AND secret IS NOT NULL AND last_step < $2 AND wrong < $4
        RETURNING user_id`;
      return (await ask(text, [user, step, secret, limit])).length === 1;
    },

    async useRecovery(user, hash) {
      const text = `UPDATE {codes} SET recovery = replace(recovery, $2, ','), wrong = 0
        WHERE user_id == $1 AND secret IS NOT NULL AND recovery <> replace(recovery, $2, ',')
        RETURNING user_id`;
      return (await ask(text, [user, `,${hash},`])).length === 1;
    },

    async renewRecovery(user, hashes) {
      const text = `UPDATE {codes} SET recovery = $2, renewals = coalesce(renewals, 0) + 1
        WHERE user_id == $1 AND secret IS NOT NULL RETURNING user_id`;
      return (await ask(text, [user, joined(hashes)])).length === 1;
    },

    async countWrong(user, limit) {
      const text = `UPDATE {codes} SET wrong = wrong + 1
        WHERE user_id == $1 AND secret IS NOT NULL AND wrong < $2 RETURNING wrong`;
      const [row] = await ask(text, [user, limit]);
      return row && Number(row.wrong);
    },
  };
}
