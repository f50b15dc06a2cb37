import type { DatabaseSync } from "node:sqlite";
import { newerSchema } from "../inspection.ts";
import { inTransaction, retryWhileBusy } from "./locking.ts";

/**
 * Each entry migrates from the version that is its index to the next one. Released entries are never
 * edited, only new ones added.
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

  `ALTER TABLE users ADD COLUMN ended_sessions TEXT;
   ALTER TABLE users ADD COLUMN codes TEXT;
   ALTER TABLE users ADD COLUMN passkeys TEXT;
   CREATE INDEX users_with_codes ON users (id) WHERE codes IS NOT NULL;
   CREATE INDEX users_with_passkeys ON users (id) WHERE passkeys IS NOT NULL;

   CREATE TABLE sessions (
     id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL REFERENCES users (id) ON UPDATE CASCADE ON DELETE CASCADE,
     created_at INTEGER NOT NULL,
     used_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     address TEXT NOT NULL,
     device TEXT NOT NULL
   ) STRICT;
   CREATE INDEX sessions_by_user ON sessions (user_id, used_at);
   CREATE INDEX sessions_by_end ON sessions (expires_at);`,

  "DROP TABLE import_mark",

  `ALTER TABLE log_entries ADD COLUMN user_id TEXT;
   CREATE INDEX log_entries_by_user ON log_entries (user_id, id) WHERE user_id IS NOT NULL;`,
];

export const NEWEST_SCHEMA: number = migrations.length;

/**
 * Migrates the schema completely or not at all. Reads the version under the write lock, so of several
 * processes that start together only one migrates.
 */
export async function migrate(database: DatabaseSync): Promise<void> {
  if ((await retryWhileBusy(() => versionOf(database))) === migrations.length) return;
  await inTransaction(database, () => {
    const version = versionOf(database);
    if (version > migrations.length) {
      throw newerSchema("the database", version, migrations.length);
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Creates the tables of an older or the newest schema in an empty database. */
export function createSchema(database: DatabaseSync, version: number): void {
  for (const migration of migrations.slice(0, version)) database.exec(migration);
}
