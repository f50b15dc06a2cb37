import type { DatabaseSync } from "node:sqlite";

/** Takes the write lock at once, so that what `work` reads cannot change under it. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // SQLite has already rolled back by itself after some failures, a full disk among them.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
