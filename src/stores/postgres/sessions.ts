import {
  MAX_EXPIRED_REMOVED,
  type SessionStore,
  USE_PRECISION_MS,
} from "../../core/sessions/session-store.ts";
import { SESSION_COLUMNS, sessionOf } from "../rows.ts";
import type { Ask } from "./query.ts";
import { EQ, GT, LTE, type Tables } from "./tables.ts";

/** The methods for sessions. */
export function sessionsOn(
  ask: Ask,
  { sessions: table }: Tables,
): Omit<SessionStore, "replaceExtra" | "endSessions"> {
  return {
    async insertSession({ id, userId, createdAt, usedAt, expiresAt, address, device }) {
      const text = `WITH expired AS (
          DELETE FROM ${table} WHERE id ${EQ} ANY (
            SELECT id FROM ${table} WHERE expires_at ${LTE} $3
            ORDER BY expires_at LIMIT ${MAX_EXPIRED_REMOVED} FOR UPDATE SKIP LOCKED
          )
        )
        INSERT INTO ${table} (${SESSION_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (id) DO NOTHING`;
      const values = [id, userId, createdAt, usedAt, expiresAt, address, device];
      await ask(text, values, "latchkey_insert_session");
    },

    async noteSessionsUsed(ids, at) {
      const text = `UPDATE ${table} SET used_at = $1 WHERE id ${EQ} ANY ($2) AND used_at ${LTE} $3`;
      await ask(text, [at, ids, new Date(at.getTime() - USE_PRECISION_MS)]);
    },

    async findSession(id) {
      if (id.includes("\0")) return undefined;
      const text = `SELECT ${SESSION_COLUMNS} FROM ${table} WHERE id ${EQ} $1`;
      const [row] = await ask(text, [id]);
      return row && sessionOf(row);
    },

    async readSessionsOf(user, now, limit) {
      const text = `SELECT ${SESSION_COLUMNS} FROM ${table}
        WHERE user_id ${EQ} $1 AND expires_at ${GT} $2 ORDER BY used_at DESC, id LIMIT $3`;
      return (await ask(text, [user, now, limit])).map(sessionOf);
    },

    async readSessions({ afterId, limit }) {
      const text = `SELECT ${SESSION_COLUMNS} FROM ${table}
        WHERE id ${GT} $1 ORDER BY id LIMIT $2`;
      return (await ask(text, [afterId, limit])).map(sessionOf);
    },

    async removeSessions(ids) {
      await ask(`DELETE FROM ${table} WHERE id ${EQ} ANY ($1)`, [ids]);
    },
  };
}
