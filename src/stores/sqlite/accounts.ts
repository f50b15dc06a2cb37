import { randomUUID } from "node:crypto";
import type { AccountChanges, ExtraStore } from "../../core/accounts/account-store.ts";
import type { UserId } from "../../core/store.ts";
import { EXTRA_COLUMNS } from "../rows.ts";
import { type Ask, isTaken } from "./locking.ts";

/**
 * The methods that change accounts, each in one statement and therefore one atomic step.
 * @param report Is called for each changed user.
 */
export function accountsOn(
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
      // Always increases, so that a clock that is behind, or the same second, cannot revive a session.
      const text = "UPDATE users SET sessions_from = max(?, coalesce(sessions_from, 0) + 1)";
      const ended =
        of === "all"
          ? await ask(`${text} RETURNING id`, [before])
          : await ask(`${text} WHERE id = ? RETURNING id`, [before, of]);
      report(of);
      const gone = "DELETE FROM sessions";
      await (of === "all" ? ask(gone) : ask(`${gone} WHERE user_id = ?`, [of]));
      return ended.length;
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
