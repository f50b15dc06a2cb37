import { CLOCK_MARGIN_SECONDS } from "../../core/sessions/session-token.ts";
import type { SessionStore } from "../../core/store.ts";
import { tables, timeOf, valuesOf } from "../../core/tables.ts";
import { columnNames, parametersOf, type Row, recordOf } from "../rows.ts";
import type { Database } from "./sql.ts";

/** How precise the time of the last use is. */
export const USE_PRECISION_MS = 3_600_000;
/** How many expired rows each new one removes. */
const MAX_EXPIRED_REMOVED = 100;

const COLUMNS = columnNames(tables.sessions);

/** `ended_at` is only read here: what the methods return has not ended. */
const sessionOf = (row: Row) => recordOf(tables.sessions, row);

/** The methods for sessions. */
export function sessionsOn({ ask, changed }: Database): SessionStore {
  return {
    async insert(session) {
      await removeExpired(ask, "sessions", timeOf(session.createdAt));
      await ask(
        `INSERT INTO {sessions} (${COLUMNS}) VALUES (${parametersOf(tables.sessions)})
         ON CONFLICT (id) DO NOTHING`,
        valuesOf(tables.sessions, session),
        "latchkey_insert_session",
      );
    },

    async find(id) {
      const text = `SELECT ${COLUMNS} FROM {sessions} WHERE id == $1 AND ended_at IS NULL`;
      const [row] = await ask(text, [id]);
      return row && sessionOf(row);
    },

    async listOf(user, now, limit) {
      const text = `SELECT ${COLUMNS} FROM {sessions}
        WHERE user_id == $1 AND expires_at > $2 AND ended_at IS NULL
        ORDER BY used_at DESC, id LIMIT $3`;
      return (await ask(text, [user, timeOf(now), limit])).map(sessionOf);
    },

    async read(afterId, limit) {
      const text = `SELECT ${COLUMNS} FROM {sessions}
        WHERE id > $1 AND ended_at IS NULL ORDER BY id LIMIT $2`;
      return (await ask(text, [afterId, limit])).map(sessionOf);
    },

    async noteUsed(ids, at) {
      const text = "UPDATE {sessions} SET used_at = $1 WHERE id IN {$2} AND used_at <= $3";
      await ask(text, [timeOf(at), ids, timeOf(at) - USE_PRECISION_MS]);
    },

    async end(session, at) {
      const rows = await ask(
        `INSERT INTO {sessions} AS known (${COLUMNS})
         SELECT ${parametersOf(tables.sessions)} WHERE EXISTS (SELECT 1 FROM {users} WHERE id == $2)
         ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at
           WHERE known.ended_at IS NULL AND known.user_id == excluded.user_id
         RETURNING id`,
        valuesOf(tables.sessions, { ...session, endedAt: at }),
      );
      if (rows.length > 0) changed(session.userId);
      return rows.length > 0;
    },

    async hasEnded(id) {
      const text = "SELECT 1 AS yes FROM {sessions} WHERE id == $1 AND ended_at IS NOT NULL";
      return (await ask(text, [id], "latchkey_session_ended")).length === 1;
    },

    async handOff(handoff, now) {
      await removeExpired(ask, "handoffs", timeOf(now));
      const { handoffs } = tables;
      const text = `INSERT INTO {handoffs} (${columnNames(handoffs)}) VALUES (${parametersOf(handoffs)})`;
      await ask(text, valuesOf(handoffs, handoff));
    },

    async takeHandoff(id) {
      const text = `DELETE FROM {handoffs} WHERE id == $1 RETURNING ${columnNames(tables.handoffs)}`;
      const [row] = await ask(text, [id]);
      return row && recordOf(tables.handoffs, row);
    },
  };
}

/** Removes some of the rows that have expired by then, also for an instance whose clock is behind. */
export async function removeExpired(
  ask: Database["ask"],
  table: "sessions" | "answers" | "devices" | "handoffs",
  by: number,
): Promise<void> {
  const text = `DELETE FROM {${table}} WHERE id IN
    (SELECT id FROM {${table}} WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${MAX_EXPIRED_REMOVED})`;
  await ask(text, [by - CLOCK_MARGIN_SECONDS * 1_000]);
}
