import type { DatabaseSync } from "node:sqlite";
import {
  MAX_EXPIRED_REMOVED,
  type SessionStore,
  USE_PRECISION_MS,
} from "../../core/sessions/session-store.ts";
import { SESSION_COLUMNS, sessionOf } from "../rows.ts";
import { type Ask, inTransaction } from "./locking.ts";

/** The methods for sessions. */
export function sessionsOn(
  database: DatabaseSync,
  ask: Ask,
): Omit<SessionStore, "replaceExtra" | "endSessions"> {
  return {
    insertSession: ({ id, userId, createdAt, usedAt, expiresAt, address, device }) =>
      inTransaction(database, () => {
        database
          .prepare(
            `DELETE FROM sessions WHERE id IN
               (SELECT id FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          )
          .run(createdAt.getTime(), MAX_EXPIRED_REMOVED);
        const times = [createdAt, usedAt, expiresAt].map((time) => time.getTime());
        database
          .prepare(
            `INSERT INTO sessions (${SESSION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO NOTHING`,
          )
          .run(id, userId, ...times, address, device);
      }),

    async noteSessionsUsed(ids, at) {
      const text = `UPDATE sessions SET used_at = ?
        WHERE id IN (SELECT value FROM json_each(?)) AND used_at <= ?`;
      await ask(text, [at.getTime(), JSON.stringify(ids), at.getTime() - USE_PRECISION_MS]);
    },

    async findSession(id) {
      const [row] = await ask("SELECT * FROM sessions WHERE id = ?", [id]);
      return row && sessionOf(row);
    },

    async readSessionsOf(user, now, limit) {
      const text = `SELECT * FROM sessions WHERE user_id = ? AND expires_at > ?
        ORDER BY used_at DESC, id LIMIT ${limit}`;
      return (await ask(text, [user, now.getTime()])).map(sessionOf);
    },

    async readSessions({ afterId, limit }) {
      const text = "SELECT * FROM sessions WHERE id > ? ORDER BY id LIMIT ?";
      return (await ask(text, [afterId, limit])).map(sessionOf);
    },

    async removeSessions(ids) {
      const text = "DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))";
      await ask(text, [JSON.stringify(ids)]);
    },
  };
}
