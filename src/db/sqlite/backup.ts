import type { DatabaseSync } from "node:sqlite";
import { Fault, getErrorMessage } from "../../lib/fault.ts";
import { refuseNewerSchema } from "../schema.ts";
import type { Amounts } from "../transfer-store.ts";
import { explainError, findAccessFault, hasDatabase, isReadOnly } from "./file.ts";
import { isBusy, isDiskError, isFileError, retryWhileBusy } from "./locking.ts";
import {
  openExisting,
  openReadOnly,
  openToRead,
  type ReadOnlyDatabase,
  sqlite,
  UNTRUSTED,
} from "./open.ts";
import { findDamage, getNameInSchema, requireOwnSchema } from "./schema.ts";

const PAGES_AT_ONCE = 256;

export interface FileCopy {
  readonly from: string;
  /**
   * A source `at-rest` has no process that writes to the file, and the copy then writes nothing
   * beside it.
   */
  readonly source: "live" | "at-rest";
  /** The target must be an empty file. It keeps its mode. */
  readonly to: string;
  readonly onProgress?: (copied: number, pages: number) => void;
}

/**
 * Copies a consistent state of the database while other processes write to it, and verifies the
 * copy.
 *
 * @throws A Fault when the copy is damaged or incomplete.
 */
export async function copyDatabase({
  from,
  source: kind,
  to,
  onProgress,
}: FileCopy): Promise<Amounts> {
  using opened = openSource(from, kind);
  const source = opened.database;
  const before = await retryWhileBusy(() => {
    // The transaction stays open until the end: otherwise every commit of another process would
    // restart the copy.
    if (!source.isTransaction) source.exec("BEGIN");
    return readAmounts(source, from);
  });
  await sqlite.backup(source, to, {
    rate: PAGES_AT_ONCE,
    progress: ({ totalPages, remainingPages }) =>
      onProgress?.(totalPages - remainingPages, totalPages),
  });
  opened.requireUnchanged();
  const after = verifyCopy(to, from);
  if (after.users === before.users && after.entries === before.entries) return after;
  throw new Fault(
    "copy_different",
    `the copy of ${from} does not have the same number of users and log entries`,
  );
}

function openSource(file: string, kind: FileCopy["source"]): ReadOnlyDatabase {
  if (!hasDatabase(file)) throw new Fault("database_missing", `there is no database at ${file}`);
  try {
    if (kind === "at-rest" || isReadOnly(file)) return openToRead(file, UNTRUSTED);
    const database = openExisting(file, UNTRUSTED);
    if (isDiskFull(database)) {
      database.close();
      return openToRead(file, UNTRUSTED);
    }
    return { database, requireUnchanged() {}, [Symbol.dispose]: () => database.close() };
  } catch (error) {
    throw explainError(file, error);
  }
}

/**
 * Returns whether the disk has no room for the files that SQLite makes beside the database to read
 * it.
 */
function isDiskFull(database: DatabaseSync): boolean {
  try {
    database.prepare("PRAGMA schema_version").get();
    return false;
  } catch (error) {
    return isDiskError(error);
  }
}

/** Verifies the copy. Messages name the source, since the copy has a temporary name. */
function verifyCopy(copy: string, file: string): Amounts {
  using database = openReadOnly(copy, "immutable");
  const amounts = readAmounts(database, file);
  const [first] = findDamage(database, "integrity_check");
  if (first === undefined) return amounts;
  throw new Fault("database_damaged", `${file} is damaged: ${first}`);
}

/** @throws A Fault when the file is not a complete Latchkey database that this version can read. */
function readAmounts(database: DatabaseSync, file: string): Amounts {
  const version = readSource(file, () => requireOwnSchema(database, file));
  refuseNewerSchema(file, version);
  if (version <= 0) throw new Fault("not_latchkey", `${file} is not a Latchkey database`);
  const row = readSource(file, () =>
    database.prepare(formatAmountsQuery(version)).get(MAX_ID, MAX_ID),
  );
  if (row?.full === 0) return { users: Number(row.users), entries: Number(row.entries) };
  throw new Fault("database_damaged", `${file} has no IDs left for new log entries`);
}

/**
 * The limit is far above any real ID, and far below the numbers that JavaScript cannot represent.
 */
const MAX_ID = 2 ** 52;

function formatAmountsQuery(schema: number): string {
  const [users, log] = [getNameInSchema("users", schema), getNameInSchema("log", schema)];
  return `SELECT (SELECT count(*) FROM ${users}) AS users,
    (SELECT count(*) FROM ${log}) AS entries,
    EXISTS (SELECT 1 FROM ${log} WHERE id > ?)
      OR EXISTS (SELECT 1 FROM sqlite_sequence WHERE seq > ?) AS full`;
}

function readSource<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isBusy(error) || error instanceof Fault) throw error;
    const denied = isFileError(error) ? findAccessFault(file) : undefined;
    if (denied !== undefined) throw denied;
    const reason = getErrorMessage(error);
    throw new Fault("not_latchkey", `${file} is not a complete Latchkey database: ${reason}`);
  }
}
