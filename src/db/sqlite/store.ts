import "../../lib/node-version.ts";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { Fault } from "../../lib/fault.ts";
import { checkOptions, defineChoice, defineRequired } from "../../lib/options.ts";
import { type Db, runTransaction } from "../database.ts";
import { type Around, createOperations } from "../operations.ts";
import { listColumnNames } from "../rows.ts";
import { getTableName, NEWEST_SCHEMA, refuseNewerSchema } from "../schema.ts";
import { createParts, type OpenDatabase, type Store } from "../store.ts";
import { listColumns, tables, toRowValues } from "../tables.ts";
import { createTransfer } from "../transfer.ts";
import { type Rows, refusesTaken } from "../transfer-store.ts";
import { requireNothingBeside, requireOwnName } from "./database-files.ts";
import { createSqliteDb, translateFailure } from "./dialect.ts";
import { createEmptyFile, explainError, hasDatabase, isReadOnly, restrictToOwner } from "./file.ts";
import { isDiskError, isFileError, retryWhileBusy } from "./locking.ts";
import { openExisting, openToRead, sqlite } from "./open.ts";
import { migrate, readVersion } from "./schema.ts";

/** `openSqlite` accepts these options. */
export interface SqliteOptions {
  /** The file is a path, or `:memory:` for a database that ends with the store. */
  readonly file: string;
  /**
   * Decides what happens when the file is missing: `create` (the default) creates it, `refuse`
   * throws `database_missing`.
   */
  readonly missing?: "create" | "refuse";
}

const sqliteOptions = {
  file: defineRequired(
    "a path such as accounts.db",
    (file) => typeof file === "string" && file !== "",
  ),
  missing: defineChoice("create", "refuse"),
};

/** `openSqlite` returns this store. */
export interface SqliteStore extends Store {
  readonly kind: "sqlite";
  close(): void;
}

/**
 * Opens a store in one SQLite file, which several processes can share. Commits are on the disk when
 * a call returns. Only the owner of the file can read it, since it contains password hashes.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ file: "accounts.db" });
 * const auth = createAuth({ store, secret });
 * ```
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const takes = 'openSqlite takes { file }, such as { file: "accounts.db" }';
  const { file, missing } = checkOptions<Required<SqliteOptions>>(sqliteOptions, options, takes);
  if (missing === "refuse" && !hasDatabase(file)) {
    requireNothingBeside(resolve(file));
    throw new Fault("database_missing", `there is no database at ${file}`);
  }
  try {
    return await openFile(file, missing);
  } catch (error) {
    throw explainError(file, error);
  }
}

/**
 * Opens an existing store. Where this user cannot write, operations that change the store fail.
 * @internal
 */
export async function openSqliteToRead(file: string): Promise<SqliteStore> {
  if (!hasDatabase(file)) return openSqlite({ file, missing: "refuse" });
  try {
    if (!isReadOnly(file)) return await openFile(file, "refuse");
  } catch (error) {
    // A full disk has no room for the files that SQLite makes to open the database.
    if (!isDiskError(error)) throw explainError(file, error);
  }
  try {
    return await openFileToRead(file);
  } catch (error) {
    throw isFileError(error) ? explainError(file, error) : error;
  }
}

async function openFileToRead(file: string): Promise<SqliteStore> {
  const { database, requireUnchanged } = openToRead(file, {});
  return closeOnFailure(database, async () => {
    await refuseWithoutTables(database, file);
    const version = readVersion(database);
    refuseNewerSchema(file, version);
    if (version < NEWEST_SCHEMA) {
      const text = `it has schema ${version}, and cannot be migrated to ${NEWEST_SCHEMA} where it is read-only: make a backup, and restore it in another folder`;
      throw new Fault("schema_older", text);
    }
    return createSqliteStore(database, createSqliteDb(database, requireUnchanged));
  });
}

const IN_MEMORY = ":memory:";

async function openFile(file: string, missing: "create" | "refuse"): Promise<SqliteStore> {
  if (missing === "create" && file !== IN_MEMORY) requireOwnName(resolve(file));
  if (file !== IN_MEMORY && !hasDatabase(file)) {
    requireNothingBeside(resolve(file));
    createEmptyFile(file);
  }
  const database = file === IN_MEMORY ? new sqlite.DatabaseSync(file) : openExisting(file);
  return closeOnFailure(database, async () => {
    if (missing === "refuse") await refuseWithoutTables(database, file);
    if (file !== IN_MEMORY) restrictToOwner(file);
    await retryWhileBusy(() =>
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"),
    );
    await migrate(database);
    return createSqliteStore(database);
  });
}

async function closeOnFailure(
  database: DatabaseSync,
  open: () => Promise<SqliteStore>,
): Promise<SqliteStore> {
  try {
    return await open();
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Refuses a database without Latchkey's tables, so that Latchkey does not create them in an empty
 * file or in a database of another program.
 */
async function refuseWithoutTables(database: DatabaseSync, file: string): Promise<void> {
  const { version, tables } = await retryWhileBusy(() => ({
    version: readVersion(database),
    tables: database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").all().length,
  }));
  if (version > 0) return;
  const code = tables === 0 ? "database_missing" : "not_latchkey";
  throw new Fault(code, `${file} has no Latchkey tables`);
}

/**
 * Creates the store of a database that already has its tables.
 *
 * @param db All stores on one `DatabaseSync` must share it: it keeps their transactions apart.
 * @internal
 */
export function createSqliteStore(
  database: DatabaseSync,
  db: Db = createSqliteDb(database),
  around?: Around,
): SqliteStore {
  const open: OpenDatabase = { db, patientDb: db };
  const operations = createOperations(() => open, around);
  return {
    kind: "sqlite",
    operations: operations.names,
    observe: operations.observe,
    ...createParts(operations, (_, entries) =>
      runTransaction(db, async () => {
        const rows = entries.map((entry) => toRowValues(tables.log, entry));
        insertRows(database, { table: "log", rows });
      }),
    ),
    transfer: createTransfer({
      db: () => db,
      insertRows: async (_, rows) => translateFailure(() => insertRows(database, rows)),
    }),
    close: () => database.close(),
  };
}

/**
 * Inserts rows in a transaction of the caller. Skips rows whose key exists, except rows of users,
 * apps and the log.
 */
function insertRows(database: DatabaseSync, { table, rows }: Rows): void {
  const columns = listColumnNames(tables[table]);
  const values = listColumns(tables[table]).map(() => "?");
  const onConflict = table === "log" || refusesTaken(table) ? "" : "ON CONFLICT DO NOTHING";
  const insert = database.prepare(
    `INSERT INTO ${getTableName(table)} (${columns.join(", ")}) VALUES (${values.join(", ")}) ${onConflict}`,
  );
  // The database assigns the IDs of log entries.
  for (const row of rows) insert.run(...(table === "log" ? row.with(0, null) : row));
}
