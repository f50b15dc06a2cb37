import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { codeOf, Fault } from "../../core/fault.ts";
import { openExisting } from "../database-file.ts";
import { isBusy } from "./busy.ts";

const BESIDE = ["-wal", "-shm", "-journal"] as const;

export interface Replacement {
  readonly file: string;
  readonly by: string;
  /** The name that what was there gets. */
  readonly keptAs: string;
}

/**
 * Puts a database in the place of another, at one moment. Throws a `database_in_use` while anybody
 * has the old one open, which SQLite's locks tell; of one that is too damaged for that, nothing can.
 */
export function replaceDatabase({ file, by, keptAs }: Replacement): void {
  const lock = existsSync(file) && isDatabase(file) ? openAlone(file) : undefined;
  try {
    if (existsSync(file)) keep(file, keptAs);
    // What an old log beside it holds must not get into the new one.
    for (const suffix of BESIDE) {
      if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${keptAs}${suffix}`);
    }
    renameSync(by, file);
  } finally {
    lock?.close();
  }
}

const MAGIC = "SQLite format 3\0";

/** What is not, SQLite must not open: it would remove the write-ahead log beside it. */
function isDatabase(file: string): boolean {
  const opened = openSync(file, "r");
  try {
    const start = Buffer.alloc(MAGIC.length);
    const length = readSync(opened, start);
    return length === 0 || start.toString("latin1") === MAGIC;
  } finally {
    closeSync(opened);
  }
}

/** Only the last connection may leave the write-ahead log, and nobody gets in as long as it is open. */
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
      `${file} is in use: stop the gate and whatever else has it open`,
    );
  }
}

/** A second name, so that the first is never without a database. */
function keep(file: string, keptAs: string): void {
  try {
    linkSync(file, keptAs);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw error;
    // Not every file system knows second names.
    copyFileSync(file, keptAs, constants.COPYFILE_EXCL);
  }
}
