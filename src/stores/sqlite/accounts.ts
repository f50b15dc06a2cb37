import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { AccountChanges, ExtraStore } from "../../core/accounts/account-store.ts";
import type { UserId } from "../../core/store.ts";
import { EXTRA_COLUMNS, userOf } from "../rows.ts";
import { type Ask, inTransaction, isTaken } from "./locking.ts";

/** Always increases, so that a clock that is behind, or the same second, cannot revive a session. */
const RAISE = "UPDATE users SET sessions_from = max(?, coalesce(sessions_from, 0) + 1)";

/**
 * The methods that change accounts, each in one atomic step.
 * @param report Is called for each changed user.
 */
export function accountsOn(
  database: DatabaseSync,
  ask: Ask,
  report: (id: UserId | "all") => void,
): AccountChanges & ExtraStore {
  return {
    async insertUser({ username, passwordHash }) {
      const id = randomUUID() as UserId;
      const rows = await ask(
        `INSERT INTO users (id, username, password_hash) VALUES (?, ?, ?)
         ON CONFLICT (username) DO NOTHING RETURNING id`,
        [id, username, passwordHash],
      );
      return rows.length === 1 ? { id, username } : undefined;
    },

    async renameUser(id, username) {
      try {
        const text = "UPDATE users SET username = ? WHERE id = ? RETURNING id";
        if ((await ask(text, [username, id])).length === 0) return "missing";
        report(id);
        return "renamed";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      }
    },

    async removeUser(id) {
      const removed = await ask(
        `DELETE FROM users WHERE id = ?
         AND EXISTS (SELECT 1 FROM users AS other WHERE other.id <> users.id) RETURNING id`,
        [id],
      );
      if (removed.length === 0) {
        const [found] = await ask("SELECT id FROM users WHERE id = ?", [id]);
        return found === undefined ? "missing" : "last";
      }
      report(id);
      return "removed";
    },

    async endSessions(of, before) {
      const ended = await inTransaction(database, () => {
        const was = database.prepare("SELECT * FROM users WHERE id = ?").get(of);
        if (was === undefined) return undefined;
        const raise = database.prepare(`${RAISE} WHERE id = ? RETURNING sessions_from`);
        const sessionsFrom = Number(raise.get(before, of)?.sessions_from);
        database.prepare("DELETE FROM sessions WHERE user_id = ?").run(of);
        return { was: userOf(was), sessionsFrom };
      });
      report(of);
      return ended;
    },

    async endAllSessions(before) {
      const { changes } = await inTransaction(database, () => {
        database.exec("DELETE FROM sessions");
        return database.prepare(RAISE).run(before);
      });
      report("all");
      return Number(changes);
    },

    async replaceExtra(id, extra, from, to) {
      const column = EXTRA_COLUMNS[extra];
      const text = `UPDATE users SET ${column} = ? WHERE id = ? AND ${column} IS ? RETURNING id`;
      if ((await ask(text, [to ?? null, id, from ?? null])).length === 0) return false;
      report(id);
      return true;
    },

    async hasExtra(extra) {
      const text = `SELECT 1 FROM users WHERE ${EXTRA_COLUMNS[extra]} IS NOT NULL LIMIT 1`;
      return (await ask(text)).length === 1;
    },
  };
}
