import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { AccountChanges } from "../../core/accounts/account-store.ts";
import { messageOf } from "../../core/fault.ts";
import type { UserId } from "../../core/store.ts";
import { retryWhileBusy } from "./locking.ts";

/**
 * The methods that change accounts, each in one statement and therefore one atomic step.
 * @param report Is called for each changed user.
 */
export function accountsOf(
  database: DatabaseSync,
  report: (id: UserId | "all") => void,
): AccountChanges {
  const exists = database.prepare("SELECT 1 FROM users WHERE id = ?");
  const insert = database.prepare(
    "INSERT OR IGNORE INTO users (id, username, password_hash) VALUES (?, ?, ?)",
  );
  const setHash = database.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const rename = database.prepare("UPDATE users SET username = ? WHERE id = ?");
  const remove = database.prepare(
    "DELETE FROM users WHERE id = ? AND EXISTS (SELECT 1 FROM users AS other WHERE other.id <> ?)",
  );
  // Always increases, so that a clock that is behind, or the same second, cannot revive a session.
  const endAll = database.prepare(
    "UPDATE users SET sessions_from = max(?, coalesce(sessions_from, 0) + 1)",
  );
  const endOne = database.prepare(
    "UPDATE users SET sessions_from = max(?, coalesce(sessions_from, 0) + 1) WHERE id = ?",
  );

  return {
    insertUser: ({ username, passwordHash }) =>
      retryWhileBusy(() => {
        const id = randomUUID() as UserId;
        return insert.run(id, username, passwordHash).changes === 1 ? { id, username } : undefined;
      }),

    setPasswordHash: (id, hash) =>
      retryWhileBusy(() => (setHash.run(hash, id).changes === 1 ? "set" : "missing")),

    renameUser: (id, username) =>
      retryWhileBusy(() => {
        try {
          if (rename.run(username, id).changes === 0) return "missing";
          report(id);
          return "renamed";
        } catch (error) {
          if (messageOf(error).startsWith("UNIQUE constraint failed")) return "taken";
          throw error;
        }
      }),

    removeUser: (id) =>
      retryWhileBusy(() => {
        if (remove.run(id, id).changes === 1) {
          report(id);
          return "removed";
        }
        return exists.get(id) === undefined ? "missing" : "last";
      }),

    endSessions: (of, before) =>
      retryWhileBusy(() => {
        const { changes } = of === "all" ? endAll.run(before) : endOne.run(before, of);
        report(of);
        return Number(changes);
      }),
  };
}
