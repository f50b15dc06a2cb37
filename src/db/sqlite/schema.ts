import type { DatabaseSync } from "node:sqlite";
import { Fault, getErrorMessage } from "../../lib/fault.ts";
import { createRandomText } from "../../lib/random-text.ts";
import { runTransaction } from "../database.ts";
import { noteAllNames } from "../queries/names.ts";
import {
  createIndex,
  type Definitions,
  formatIndexName,
  getTableName,
  listIndexes,
  listSchemaChanges,
  NEWEST_SCHEMA,
  refuseNewerSchema,
} from "../schema.ts";
import { type AnyTable, listColumns, tables, toColumnName } from "../tables.ts";
import { createSqliteDb } from "./dialect.ts";
import { isBusy, retryWhileBusy } from "./locking.ts";
import { openExisting, sqlite, UNTRUSTED } from "./open.ts";

/** Returns the name of a table in a schema. Tables had other names in the first schema. */
export function getNameInSchema(table: string, schema: number): string {
  if (schema > 1) return getTableName(table);
  return table === "log" ? "log_entries" : table;
}

const definitions: Definitions = {
  getTableName: getNameInSchema,
  text: "TEXT",
  number: "INTEGER",
  counted: "AUTOINCREMENT",
  tableOptions: " STRICT",
};

/**
 * Migrates the schema completely or not at all. Reads the version under the write lock, so when
 * several processes start together, only one process migrates.
 */
export async function migrate(database: DatabaseSync): Promise<void> {
  if ((await retryWhileBusy(() => readVersion(database))) === NEWEST_SCHEMA) return;
  await runTransaction(createSqliteDb(database), async (trx) => {
    const version = readVersion(database);
    refuseNewerSchema("the database", version);
    createSchema(database, NEWEST_SCHEMA, version);
    if (version === 1) {
      replaceNuls(database);
      await noteAllNames(trx);
    }
    database.exec(`PRAGMA user_version = ${NEWEST_SCHEMA}`);
  });
}

/**
 * Replaces NULs in texts. Schema 1 accepted them, but PostgreSQL cannot store them, so no copy to
 * PostgreSQL would succeed.
 */
function replaceNuls(database: DatabaseSync): void {
  const all: Readonly<Record<string, AnyTable>> = { ...tables };
  for (const [name, table] of Object.entries(all)) {
    for (const [field, { kind, since = table.since ?? 1 }] of listColumns(table)) {
      if (kind !== "text" || field === "id" || since > 1) continue;
      const column = toColumnName(field);
      const sqlName = getTableName(name);
      // SQLite's `replace` does not find a NUL.
      const findNuls = database.prepare(
        `SELECT rowid AS place, ${column} AS text FROM ${sqlName} WHERE instr(${column}, char(0)) > 0`,
      );
      const isTaken = database.prepare(`SELECT 1 FROM ${sqlName} WHERE ${column} = ?`);
      const update = database.prepare(`UPDATE ${sqlName} SET ${column} = ? WHERE rowid = ?`);
      for (const { place, text } of findNuls.all()) {
        const replaced = String(text).replaceAll("\0", "\ufffd");
        // A username must stay unique.
        const isUnique = field !== "username" || isTaken.get(replaced) === undefined;
        update.run(isUnique ? replaced : `${replaced} ${createRandomText()}`, Number(place));
      }
    }
  }
}

export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/** Brings the tables to this schema from an older one, or from an empty database. */
function createSchema(database: DatabaseSync, version: number, from = 0): void {
  for (let to = from + 1; to <= version; to += 1) {
    if (to === 2) renameTables(database);
    for (const change of listSchemaChanges(to, definitions)) database.exec(change);
  }
}

/** Gives the tables of the first schema the names that they also have in PostgreSQL. */
function renameTables(database: DatabaseSync): void {
  const all: readonly (readonly [string, AnyTable])[] = Object.entries(tables);
  const first = all.filter(([, { since = 1 }]) => since === 1);
  for (const [table, declaration] of first) {
    const [before, after] = [getNameInSchema(table, 1), getNameInSchema(table, 2)];
    database.exec(`ALTER TABLE ${before} RENAME TO ${after}`);
    for (const index of listIndexes(declaration)) {
      database.exec(`DROP INDEX ${formatIndexName(before, index)}`);
      database.exec(createIndex(after, index));
    }
  }
}

/**
 * Returns the damage that SQLite reports, one line for each problem. The list is empty for an
 * intact database.
 */
export function findDamage(
  database: DatabaseSync,
  check: "quick_check" | "integrity_check",
): readonly string[] {
  try {
    const rows = database.prepare(`PRAGMA ${check}(3)`).all();
    const lines = rows.flatMap((row) => String(row[check]).split("\n"));
    return lines.filter((line) => line !== "ok" && !DATABASE_NAME.test(line));
  } catch (error) {
    if (isBusy(error)) throw error;
    return [getErrorMessage(error)];
  }
}

/** SQLite writes a line with the name of the database above the first damage. */
const DATABASE_NAME = /^\*\*\* in database .* \*\*\*$/;

export const isKnownSchema = (version: number): boolean => version > 0 && version <= NEWEST_SCHEMA;

/**
 * Compares every table, index, trigger and view with those of a new database of that version. A
 * trigger could restore a removed account, and a view in place of a table could run without end.
 * The comparison only reads the list of objects, which runs none of them.
 */
export function findSchemaDifference(database: DatabaseSync, version: number): string | undefined {
  using fresh = new sqlite.DatabaseSync(":memory:");
  createSchema(fresh, version);
  const expected = new Map(listObjects(fresh));
  const objects = listObjects(database);
  const names = new Set(objects.map(([name]) => name));
  const missing = [...expected.keys()].find((name) => !names.has(name));
  if (missing !== undefined) return `the ${missing} is missing`;
  const [different] = objects.find(([name, definition]) => expected.get(name) !== definition) ?? [];
  if (different === undefined) return undefined;
  return expected.has(different)
    ? `the ${different} is not as Latchkey creates it`
    : `the ${shortenName(different)} is not Latchkey's`;
}

// The query uses the older name: a file can contain a view named sqlite_schema, but none named
// sqlite_master.
const OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master";

/** Lists the definition of each object by its name, such as `table "users"`. */
const listObjects = (database: DatabaseSync): readonly (readonly [string, string])[] =>
  database
    .prepare(OBJECTS)
    .all()
    .map(({ type, name, tbl_name, sql }) => [
      `${type} ${JSON.stringify(name)}`,
      JSON.stringify([tbl_name, sql]),
    ]);

const MAX_SHOWN = 80;

const shortenName = (name: string): string =>
  name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;

/** Refuses a database whose schema is not exactly that of its version, and returns the version. */
export function requireOwnSchema(database: DatabaseSync, file: string): number {
  const version = readVersion(database);
  const difference = isKnownSchema(version) ? findSchemaDifference(database, version) : undefined;
  if (difference === undefined) return version;
  throw new Fault("schema_foreign", `${file} has a foreign schema: ${difference}`);
}

/**
 * Refuses a database of another schema without changing it. Use this function for a database that
 * is only read, or that may be the wrong database.
 */
export async function refuseOtherSchema(file: string, empty: "accept" | "refuse"): Promise<void> {
  using database = openExisting(file, UNTRUSTED);
  const version = await retryWhileBusy(() => requireOwnSchema(database, "it"));
  if (version === NEWEST_SCHEMA) return;
  if (version === 0 && empty === "accept") return;
  if (version === 0) throw new Fault("database_missing", "it has no Latchkey tables");
  throw new Fault(
    "schema_other",
    `it has schema ${version}, which this version of Latchkey cannot copy: open it once with the newer of the two versions, and copy with that version`,
  );
}
