import type { DeviceStore } from "../../core/store.ts";
import { tables, timeOf, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, type Row, recordOf } from "../rows.ts";
import { removeExpired } from "./sessions.ts";
import type { Database } from "./sql.ts";

const COLUMNS = columnNames(tables.devices);

const deviceOf = (row: Row) => recordOf(tables.devices, row);

/** The methods for remembered devices. */
export function devicesOn({ ask }: Pick<Database, "ask">): DeviceStore {
  return {
    async insert(device) {
      await removeExpired(ask, "devices", timeOf(device.createdAt));
      const others = "DELETE FROM {devices} WHERE user_id == $1 AND bound_to <> $2";
      await ask(others, [device.userId, device.boundTo]);
      const text = `INSERT INTO {devices} (${COLUMNS}) VALUES (${parametersOf(tables.devices)})`;
      await ask(text, valuesOf(tables.devices, device));
    },

    async find(id, now) {
      const text = `SELECT ${COLUMNS} FROM {devices} WHERE id == $1 AND expires_at > $2`;
      return (await ask(text, [id, timeOf(now)])).map(deviceOf)[0];
    },

    async listOf(user, now, limit) {
      const text = `SELECT ${COLUMNS} FROM {devices} WHERE user_id == $1 AND expires_at > $2
        ORDER BY created_at DESC, id LIMIT $3`;
      return (await ask(text, [user, timeOf(now), limit])).map(deviceOf);
    },

    async remove(user, id) {
      const text = "DELETE FROM {devices} WHERE id == $2 AND user_id == $1 RETURNING id";
      return (await ask(text, [user, id])).length === 1;
    },
  };
}
