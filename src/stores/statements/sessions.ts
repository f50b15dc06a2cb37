import { USE_PRECISION_MS } from "../../core/sessions/user-memory.ts";
import type { SessionStore } from "../../core/store.ts";
import { rowOf, tables, timeOf } from "../../core/tables.ts";
import { insertInto, type StatementPorts, statementsOn } from "./sql.ts";

/** For a session that was never inserted, unless its user is unknown. */
const END = `${insertInto("sessions", "EXISTS (SELECT 1 FROM {users} WHERE id == $2)")}
  ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at
    WHERE {sessions}.ended_at IS NULL AND {sessions}.user_id == excluded.user_id
  RETURNING id`;

/** The methods for sessions. */
export function sessionsOn({ ask, changed }: StatementPorts): SessionStore {
  const sessions = statementsOn(ask, "sessions", tables.sessions);
  const handoffs = statementsOn(ask, "handoffs", tables.handoffs);
  return {
    async insert(session) {
      await sessions.removeExpired(session.createdAt);
      await sessions.insert(session, "ON CONFLICT (id) DO NOTHING", "latchkey_insert_session");
    },

    find: (id) => sessions.first("WHERE id == $1 AND ended_at IS NULL", [id]),

    async listOf(user, now, limit) {
      const living = "WHERE user_id == $1 AND expires_at > $2 AND ended_at IS NULL";
      const values = [user, timeOf(now), limit];
      return sessions.select(`${living} ORDER BY used_at DESC, id LIMIT $3`, values);
    },

    async noteUsed(ids, at) {
      const values = [timeOf(at), ids, timeOf(at) - USE_PRECISION_MS];
      await sessions.update("SET used_at = $1 WHERE id IN {$2} AND used_at <= $3", values);
    },

    async end(session, at) {
      const rows = await ask(END, rowOf(tables.sessions, { ...session, endedAt: at }));
      if (rows.length > 0) changed(session.userId);
      return rows.length > 0;
    },

    hasEnded: (id) =>
      sessions.any("WHERE id == $1 AND ended_at IS NOT NULL", [id], "latchkey_session_ended"),

    async handOff(handoff, now) {
      await handoffs.removeExpired(now);
      await handoffs.insert(handoff);
    },

    takeHandoff: async (id) => (await handoffs.remove("WHERE id == $1", [id]))[0],
  };
}
