import "../../core/base/node-version.ts";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { AnyFault, Fault } from "../../core/base/fault.ts";
import { required, settle, word } from "../../core/base/options.ts";
import type { SetupTokenStore } from "../../core/setup/setup-token.ts";
import type { Store } from "../../core/store.ts";
import { rowOf, tables } from "../../core/tables.ts";
import type { TransferStore } from "../../core/transfer/transfer-store.ts";
import { partsOn } from "../statements/parts.ts";
import { NEWEST_SCHEMA, refuseNewerSchema } from "../statements/schema.ts";
import { setupTokenOn } from "../statements/setup-token.ts";
import type { Ask } from "../statements/sql.ts";
import { transferOn } from "../statements/transfer.ts";
import { createEmpty, databaseExists, explained, isReadOnly, restrictToOwner } from "./file.ts";
import {
  createAsk,
  inLongTransaction,
  inOneStepOn,
  insertRows,
  inTransaction,
  isDiskError,
  isFileError,
  isTaken,
  retryWhileBusy,
} from "./locking.ts";
import { openExisting, openToRead, sqlite } from "./open.ts";
import { requireNothingBeside, requireOwnName } from "./own-files.ts";
import { migrate, versionOf } from "./schema.ts";
import { createUserChanges } from "./watch-users.ts";

/** The options of `openSqlite`. */
export interface SqliteOptions {
  /** A path, or `:memory:` for a database that ends with the store. */
  readonly file: string;
  /** For a missing file: create it (the default), or throw `database_missing`. */
  readonly missing?: "create" | "refuse";
}

const sqliteOptions = {
  file: required("a path such as accounts.db", (file) => typeof file === "string" && file !== ""),
  missing: word("create", "refuse"),
};

/** The store of `openSqlite`. */
export interface SqliteStore extends Required<Omit<Store, "attempts">> {
  /** @internal */
  readonly setupToken: SetupTokenStore;
  /** @internal */
  readonly transfer: TransferStore;
  close(): void;
}

/**
 * Opens a store in one SQLite file, which several processes can share. Commits are on the disk when
 * a call returns. Only the owner of the file can read it, since it holds password hashes.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ file: "accounts.db" });
 * const auth = createAuth({ store, secret });
 * ```
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const takes = 'openSqlite takes { file }, such as { file: "accounts.db" }';
  const { file, missing } = settle<Required<SqliteOptions>>(sqliteOptions, options, takes);
  if (missing === "refuse" && !databaseExists(file)) {
    requireNothingBeside(resolve(file));
    throw new Fault("database_missing", `there is no database at ${file}`);
  }
  try {
    return await openFile(file, missing);
  } catch (error) {
    throw explained(file, error);
  }
}

/** Opens an existing store. Where this user cannot write, what would change it fails. @internal */
export async function openSqliteToRead(file: string): Promise<SqliteStore> {
  if (!databaseExists(file)) return openSqlite({ file, missing: "refuse" });
  try {
    if (!isReadOnly(file)) return await openFile(file, "refuse");
  } catch (error) {
    // A full disk has no room for the files that SQLite makes to open it.
    if (!isDiskError(error)) throw explained(file, error);
  }
  try {
    return await openFileToRead(file);
  } catch (error) {
    throw isFileError(error) ? explained(file, error) : error;
  }
}

async function openFileToRead(file: string): Promise<SqliteStore> {
  const { database, requireUnchanged } = openToRead(file, {});
  return closingAfterFailure(database, async () => {
    await refuseWithoutTables(database, file);
    const version = versionOf(database);
    refuseNewerSchema(file, version);
    if (version < NEWEST_SCHEMA) {
      const text = `it has schema ${version}, and cannot be migrated to ${NEWEST_SCHEMA} where it is read-only: make a backup, and restore it in another folder`;
      throw new AnyFault("schema_older", text);
    }
    const ask = createAsk(database);
    return storeOn(database, async (text, values) => {
      const rows = await ask(text, values);
      requireUnchanged();
      return rows;
    });
  });
}

const IN_MEMORY = ":memory:";

async function openFile(file: string, missing: "create" | "refuse"): Promise<SqliteStore> {
  if (missing === "create" && file !== IN_MEMORY) requireOwnName(resolve(file));
  if (file !== IN_MEMORY && !databaseExists(file)) {
    requireNothingBeside(resolve(file));
    createEmpty(file);
  }
  const database = file === IN_MEMORY ? new sqlite.DatabaseSync(file) : openExisting(file);
  return closingAfterFailure(database, async () => {
    if (missing === "refuse") await refuseWithoutTables(database, file);
    if (file !== IN_MEMORY) restrictToOwner(file);
    await retryWhileBusy(() =>
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"),
    );
    await migrate(database);
    return storeOn(database);
  });
}

async function closingAfterFailure(
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

/** Keeps Latchkey from creating its tables in an empty file or in a database of another program. */
async function refuseWithoutTables(database: DatabaseSync, file: string): Promise<void> {
  const { version, tables } = await retryWhileBusy(() => ({
    version: versionOf(database),
    tables: database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").all().length,
  }));
  if (version > 0) return;
  const code = tables === 0 ? "database_missing" : "not_latchkey";
  throw new Fault(code, `${file} has no Latchkey tables`);
}

/** The store of a database that has its tables. @internal */
export function storeOn(database: DatabaseSync, ask: Ask = createAsk(database)): SqliteStore {
  const changes = createUserChanges(database);
  const inOneStep = inOneStepOn(database);
  const parts = partsOn({
    ask,
    inOneStep,
    slowly: inOneStep,
    alone: inOneStep,
    // The transaction has the write lock already.
    claimFirst: "SELECT 1 AS yes",
    insertEntries: (entries) =>
      inTransaction(database, () => {
        const rows = entries.map((entry) => rowOf(tables.log, entry));
        insertRows(database, { table: "log", rows });
      }),
    isTaken,
    changed: changes.report,
  });
  return {
    ...parts,
    changes,
    setupToken: setupTokenOn({ ask }),
    transfer: transferOn({
      ask,
      inOneStep: (work) => inLongTransaction(database, () => work(ask)),
      insertRows: async (_, rows) => insertRows(database, rows),
      isTaken,
    }),
    close: () => database.close(),
  };
}
