import type { DatabaseSync } from "node:sqlite";
import {
  type Definitions,
  NEWEST_SCHEMA,
  refuseNewerSchema,
  schemaChanges,
} from "../statements/schema.ts";
import { inTransaction, retryWhileBusy, tableName } from "./locking.ts";

const definitions: Definitions = {
  tableName,
  text: "TEXT",
  number: "INTEGER",
  counted: "AUTOINCREMENT",
  tableOptions: " STRICT",
};

/**
 * Migrates the schema completely or not at all. Reads the version under the write lock, so of several
 * processes that start together only one migrates.
 */
export async function migrate(database: DatabaseSync): Promise<void> {
  if ((await retryWhileBusy(() => versionOf(database))) === NEWEST_SCHEMA) return;
  await inTransaction(database, () => {
    const version = versionOf(database);
    refuseNewerSchema("the database", version);
    createSchema(database, NEWEST_SCHEMA, version);
    database.exec(`PRAGMA user_version = ${NEWEST_SCHEMA}`);
  });
}

export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Brings the tables to this schema from an older one, or from an empty database. */
export function createSchema(database: DatabaseSync, version: number, from = 0): void {
  for (let to = from + 1; to <= version; to += 1) {
    for (const change of schemaChanges(to, definitions)) database.exec(change);
  }
}
