import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { AccountStore, UserReader } from "../../core/accounts/account-store.ts";
import { messageOf } from "../../core/fault.ts";
import type { Store, UserId } from "../../core/store.ts";
import { retryWhileBusy } from "./busy.ts";

export type SqliteAccounts = Omit<AccountStore, keyof Store | keyof UserReader>;

/**
 * The part of the store that looks after accounts. Each operation is one statement, and so one step.
 * `told` hears of the users that it changes.
 */
export function accountsOf(
  database: DatabaseSync,
  told: (id: UserId | "all") => void,
): SqliteAccounts {
  const exists = database.prepare("SELECT 1 FROM users WHERE id = ?");
  const insert = database.prepare(
    "INSERT OR IGNORE INTO users (id, username, password_hash) VALUES (?, ?, ?)",
  );
  const setHash = database.prepare("UPDATE users SET password_hash = ? WHERE id = ?");
  const rename = database.prepare("UPDATE users SET username = ? WHERE id = ?");
  const remove = database.prepare(
    "DELETE FROM users WHERE id = ? AND EXISTS (SELECT 1 FROM users AS other WHERE other.id <> ?)",
  );
  // It only ever grows: no clock that is behind brings back what was ended, nor does the same second.
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
          told(id);
          return "renamed";
        } catch (error) {
          if (messageOf(error).startsWith("UNIQUE constraint failed")) return "taken";
          throw error;
        }
      }),

    removeUser: (id) =>
      retryWhileBusy(() => {
        if (remove.run(id, id).changes === 1) {
          told(id);
          return "removed";
        }
        return exists.get(id) === undefined ? "missing" : "last";
      }),

    endSessions: (of, before) =>
      retryWhileBusy(() => {
        const { changes } = of === "all" ? endAll.run(before) : endOne.run(before, of);
        told(of);
        return Number(changes);
      }),
  };
}
