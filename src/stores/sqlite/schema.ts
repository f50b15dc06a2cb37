import type { DatabaseSync } from "node:sqlite";
import { newerSchema } from "../newer-schema.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Each entry leads from the version that is its index to the next one. Entries are only ever added:
 * what has been released is not edited.
 */
const migrations: readonly string[] = [
  `CREATE TABLE users (
     id TEXT PRIMARY KEY,
     username TEXT NOT NULL UNIQUE,
     password_hash TEXT NOT NULL
   ) STRICT;

   CREATE TABLE log_entries (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     type TEXT NOT NULL,
     summary TEXT NOT NULL,
     author TEXT NOT NULL
   ) STRICT;
   CREATE INDEX log_entries_by_time ON log_entries (at);
   CREATE INDEX log_entries_by_type ON log_entries (type, id);`,

  `CREATE TABLE import_mark (one INTEGER PRIMARY KEY CHECK (one = 1), mark TEXT NOT NULL) STRICT;
   ALTER TABLE users ADD COLUMN sessions_from INTEGER;`,
];

export const NEWEST_SCHEMA: number = migrations.length;

/**
 * Brings the schema up to date, all of it or nothing. The version is read under the write lock, so
 * of several processes that start together one migrates and the others find it done.
 */
export function migrate(database: DatabaseSync): void {
  inTransaction(database, () => {
    const version = versionOf(database);
    if (version > migrations.length) {
      throw newerSchema("the database", version, migrations.length);
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

export function isUpToDate(database: DatabaseSync): boolean {
  return versionOf(database) === migrations.length;
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}
