import type { DatabaseSync } from "node:sqlite";
import type { NewRows, RecordImporter, TakenUser } from "../../core/transfer/transfer-store.ts";
import { retryWhileBusy } from "./busy.ts";
import { inTransaction } from "./transaction.ts";

/** The part of the store that takes in users and log entries of another system. */
export function intakeOf(database: DatabaseSync): RecordImporter {
  const named = database.prepare("SELECT 1 FROM users WHERE username = ?");
  const withId = database.prepare("SELECT 1 FROM users WHERE id = ?");
  const insertUser = database.prepare(
    "INSERT OR IGNORE INTO users (id, username, password_hash, sessions_from) VALUES (?, ?, ?, ?)",
  );
  const insertEntry = database.prepare(
    "INSERT INTO log_entries (at, type, summary, author) VALUES (?, ?, ?, ?)",
  );

  /** Throws `Taken` at the first user whose place is somebody's. */
  function insert({ users, entries }: NewRows): void {
    for (const { id, username, passwordHash, sessionsFrom } of users) {
      const { changes } = insertUser.run(id, username, passwordHash, sessionsFrom ?? null);
      if (changes === 0) throw new Taken();
    }
    for (const { at, type, summary, author } of entries) {
      insertEntry.run(at.getTime(), type, summary, author);
    }
  }

  return {
    findTaken: (users) =>
      retryWhileBusy(() =>
        users.flatMap(({ id, username }): readonly TakenUser[] => {
          if (named.get(username) !== undefined) return [{ id, taken: "username" }];
          return withId.get(id) === undefined ? [] : [{ id, taken: "id" }];
        }),
      ),

    async importRecords(rows) {
      try {
        await retryWhileBusy(() =>
          inTransaction(database, () => {
            for (const some of rows()) insert(some);
          }),
        );
        return "imported";
      } catch (error) {
        if (error instanceof Taken) return "taken";
        throw error;
      }
    },
  };
}

class Taken extends Error {}
