import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Fault, getErrorCode } from "../../lib/fault.ts";
import { NEWEST_SCHEMA } from "../schema.ts";
import { COMPANION_SUFFIXES } from "./database-files.ts";
import { isBusy } from "./locking.ts";
import { isDatabase, openExisting, openReadOnly, UNTRUSTED } from "./open.ts";
import { getNameInSchema, readVersion, requireOwnSchema } from "./schema.ts";

interface Replacement {
  readonly file: string;
  readonly by: string;
  readonly over: "any" | "nothing";
  /** The replaced database gets this name. */
  readonly keptAs: string;
}

/**
 * Replaces a database with another in one atomic step. After a failure, every file has its old
 * name.
 *
 * @throws `database_in_use` while another connection has the old database open. SQLite's locks
 * reveal that connection, unless the old database is too damaged to open.
 */
export function replaceDatabase({ file, by, over, keptAs }: Replacement): void {
  const isReplaced = existsSync(file);
  if (isReplaced && over === "nothing") {
    throw new Fault("database_exists", `${file} was created meanwhile: --force replaces it`);
  }
  using lock = isReplaced && isDatabase(file) ? lockDatabase(file) : undefined;
  if (isReplaced) refuseLossOfAccounts(file, by, lock);
  using undo = new DisposableStack();
  if (isReplaced) {
    keepReplaced(file, keptAs);
    undo.defer(() => rmSync(keptAs));
  }
  // SQLite would apply an old log to the new database.
  for (const suffix of COMPANION_SUFFIXES.filter((companion) =>
    existsSync(`${file}${companion}`),
  )) {
    renameSync(`${file}${suffix}`, `${keptAs}${suffix}`);
    undo.defer(() => renameSync(`${keptAs}${suffix}`, `${file}${suffix}`));
  }
  renameSync(by, file);
  undo.move();
}

/**
 * Gives a finished backup its name.
 *
 * @throws `database_in_use` while another process has a database of that name open.
 */
export function putBackup(file: string, by: string): void {
  refuseEmptyBackup(file, by);
  using _lock = existsSync(file) && isDatabase(file) ? lockDatabase(file) : undefined;
  renameSync(by, file);
}

/** Refuses to replace a backup that has accounts with a backup without accounts. */
function refuseEmptyBackup(file: string, by: string): void {
  if (!existsSync(file)) return;
  const isReadable = isDatabase(file) && !existsSync(`${file}-wal`);
  using old = isReadable ? openReadOnly(file, "immutable") : undefined;
  refuseLossOfAccounts(file, by, old);
}

/**
 * Refuses to return to a database without accounts, in which anyone could create the first account.
 */
function refuseLossOfAccounts(file: string, by: string, old: DatabaseSync | undefined): void {
  using database = openReadOnly(by, "immutable");
  if (hasAccounts(database) || (old !== undefined && isEmpty(old, file))) return;
  throw new Fault(
    "accounts_lost",
    `${file} has accounts or cannot be read, and what would replace it has none: without an account, anyone could set up this server`,
  );
}

function hasAccounts(database: DatabaseSync): boolean {
  const users = getNameInSchema("users", readVersion(database));
  return database.prepare(`SELECT 1 FROM ${users} LIMIT 1`).get() !== undefined;
}

/**
 * Returns whether the database certainly has no accounts. A database of another program or of a
 * newer Latchkey may have accounts.
 */
function isEmpty(database: DatabaseSync, file: string): boolean {
  try {
    const version = requireOwnSchema(database, file);
    if (version !== 0) return version <= NEWEST_SCHEMA && !hasAccounts(database);
    return database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
  } catch {
    return false;
  }
}

/**
 * Each statement works for the last connection only, and then keeps other connections out. The
 * second statement loads no schema, which may be foreign, and leaves the write-ahead log as a
 * separate file.
 */
const LOCKS = [
  "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",
  "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE",
] as const;

function lockDatabase(file: string): DatabaseSync | undefined {
  for (const lock of LOCKS) {
    const database = openExisting(file, UNTRUSTED);
    try {
      database.exec(lock);
      return database;
    } catch (error) {
      database.close();
      if (!isBusy(error)) continue;
      throw new Fault(
        "database_in_use",
        `${file} is in use: stop the gate and all other processes that have it open`,
      );
    }
  }
  return undefined;
}

/** Adds a second name instead of renaming, so that the first name always has a database. */
function keepReplaced(file: string, keptAs: string): void {
  try {
    linkSync(file, keptAs);
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") throw error;
    // Not every file system supports hard links. An interrupted copy must not look complete.
    copyFileSync(file, `${keptAs}.partial`, constants.COPYFILE_EXCL);
    renameSync(`${keptAs}.partial`, keptAs);
  }
}
