import { constants, copyFileSync, existsSync, linkSync, renameSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { codeOf, Fault } from "../../core/fault.ts";
import { openExisting, readHeader } from "./file.ts";
import { isBusy } from "./locking.ts";

const BESIDE = ["-wal", "-shm", "-journal"] as const;

export interface Replacement {
  readonly file: string;
  readonly by: string;
  /** The new name of the replaced database. */
  readonly keptAs: string;
}

/**
 * Replaces a database with another in one atomic step.
 * @throws `database_in_use` while another connection has the old database open. SQLite's locks show
 * that, unless the old database is too damaged to open.
 */
export function replaceDatabase({ file, by, keptAs }: Replacement): void {
  const lock = existsSync(file) && isDatabase(file) ? openAlone(file) : undefined;
  try {
    if (existsSync(file)) keepAs(file, keptAs);
    // SQLite would apply an old log to the new database.
    for (const suffix of BESIDE) {
      if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${keptAs}${suffix}`);
    }
    renameSync(by, file);
  } finally {
    lock?.close();
  }
}

const MAGIC = "SQLite format 3\0";

/** SQLite must not open any other file: it would delete the write-ahead log beside it. */
function isDatabase(file: string): boolean {
  const header = readHeader(file);
  return header.length === 0 || header.toString("latin1", 0, MAGIC.length) === MAGIC;
}

/** Only the last connection can switch the journal mode. The lock then keeps others out. */
function openAlone(file: string): DatabaseSync | undefined {
  const database = openExisting(file);
  try {
    database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (!isBusy(error)) return undefined;
    throw new Fault(
      "database_in_use",
      `${file} is in use: stop the gate and all other processes that have it open`,
    );
  }
}

/** Adds a second name instead of renaming, so that the first name always has a database. */
function keepAs(file: string, keptAs: string): void {
  try {
    linkSync(file, keptAs);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // Not every file system supports hard links.
    copyFileSync(file, keptAs, constants.COPYFILE_EXCL);
  }
}
