import type { CodeStore, DeviceStore } from "../../core/store.ts";
import { storedTexts, tables, timeOf } from "../../core/tables.ts";
import { type StatementPorts, statementsOn } from "./sql.ts";
import { endingSessions } from "./users.ts";

/** The methods for one-time codes. A row without a secret is the mark of a begun enrolment. */
export function codesOn({ ask, alone, changed }: StatementPorts): CodeStore {
  const all = statementsOn(ask, "codes", tables.codes);
  return {
    any: () => all.any("WHERE secret IS NOT NULL"),

    async find(user) {
      const found = await all.first("WHERE user_id == $1", [user]);
      if (found?.secret === undefined) return undefined;
      const { userId: _, begun: __, secret, ...codes } = found;
      return { ...codes, secret };
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

    turnOn: (user, mark, { secret, lastStep, recovery, wrong }) =>
      all.update(
        `SET begun = NULL, secret = $3, last_step = $4, recovery = $5, wrong = $6
         WHERE user_id == $1 AND begun == $2 AND secret IS NULL`,
        [user, mark, secret, lastStep, storedTexts(recovery), wrong],
      ),

    async turnOff(user) {
      const [removed] = await all.remove("WHERE user_id == $1", [user]);
      return removed?.secret !== undefined;
    },

    async endFactors(user, before) {
      const isKnown = await alone<boolean>(function* () {
        const sessionsFrom = yield* endingSessions(user, before);
        for (const table of ["codes", "devices", "passkeys"])
          yield [`DELETE FROM {${table}} WHERE user_id == $1`, [user]];
        return sessionsFrom !== undefined;
      });
      changed(user);
      return isKnown;
    },

    useStep: (user, step, { from, to }, limit) =>
      all.update(
        `SET last_step = $2, secret = $3, wrong = 0
         WHERE user_id == $1 AND last_step < $2 AND wrong < $4 AND secret == $5`,
        [user, step, to, limit, from],
      ),

    useRecovery: (user, hash) =>
      all.update(
        `SET recovery = replace(recovery, $2, ','), wrong = 0
         WHERE user_id == $1 AND secret IS NOT NULL AND recovery <> replace(recovery, $2, ',')`,
        [user, `,${hash},`],
      ),

    renewRecovery: (user, hashes) =>
      all.update(
        `SET recovery = $2, renewals = coalesce(renewals, 0) + 1
         WHERE user_id == $1 AND secret IS NOT NULL`,
        [user, storedTexts(hashes)],
      ),

    async countWrong(user, limit) {
      const text = `UPDATE {codes} SET wrong = wrong + 1
        WHERE user_id == $1 AND secret IS NOT NULL AND wrong < $2 RETURNING wrong`;
      const [row] = await ask(text, [user, limit]);
      return row && Number(row.wrong);
    },
  };
}

/** The methods for devices, which need no code. */
export function devicesOn({ ask }: StatementPorts): DeviceStore {
  const devices = statementsOn(ask, "devices", tables.devices);
  return {
    async insert(device) {
      await devices.removeExpired(device.createdAt);
      const { userId, boundTo } = device;
      await devices.remove("WHERE user_id == $1 AND bound_to <> $2", [userId, boundTo]);
      await devices.insert(device);
    },

    find: async (id, now) => devices.first("WHERE id == $1 AND expires_at > $2", [id, timeOf(now)]),

    async listOf(user, now, limit) {
      const rest = "WHERE user_id == $1 AND expires_at > $2 ORDER BY created_at DESC, id LIMIT $3";
      return devices.select(rest, [user, timeOf(now), limit]);
    },

    remove: async (user, id) =>
      (await devices.remove("WHERE id == $2 AND user_id == $1", [user, id])).length === 1,
  };
}
