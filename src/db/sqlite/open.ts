import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { Fault } from "../../lib/fault.ts";
import { formatFileError, isMissing } from "../../lib/files/file-error.ts";

/** The module `node:sqlite`. An import of it fails on old versions of Node before they are named. */
export const sqlite: typeof import("node:sqlite") = process.getBuiltinModule("node:sqlite");

type DatabaseLimits = Pick<DatabaseSyncOptions, "limits">;

/**
 * For a database that Latchkey may not have created: its schema must not call functions with
 * arguments, or it cannot be loaded. SQLite evaluates some expressions while it loads a schema, and
 * these could run for days. Queries cannot call such functions either.
 */
export const UNTRUSTED: DatabaseLimits = { limits: { functionArg: 0 } };

/**
 * Opens the file without letting SQLite create it: through a dangling symbolic link, root would
 * create a file wherever the owner of the folder wants it, readable by all.
 */
export function openExisting(file: string, limits: DatabaseLimits = {}): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set("mode", "rw");
  // Deno with limited permissions takes a URL for a path. There, the owner of the folder could
  // still replace the file by a link between these two calls.
  const location = process.versions.deno === undefined ? url : realpathSync(file);
  // No busy timeout: `retryWhileBusy` waits without blocking the event loop.
  return new sqlite.DatabaseSync(location, { timeout: 0, ...limits });
}

/**
 * Opens the file without creating others beside it.
 * @param how `immutable` while no process writes to the file, `readonly_shm` while one may, and
 * `alone` for a -wal without a -shm: its index is then in memory, and nothing is locked.
 */
export function openReadOnly(
  file: string,
  how: "immutable" | "readonly_shm" | "alone",
  limits: DatabaseLimits = UNTRUSTED,
): DatabaseSync {
  const url = pathToFileURL(file);
  if (how === "alone") url.searchParams.set("vfs", "unix-none");
  else url.searchParams.set(how, "1");
  const database = new sqlite.DatabaseSync(url, { readOnly: true, timeout: 0, ...limits });
  if (how === "alone") database.exec("PRAGMA locking_mode = EXCLUSIVE");
  return database;
}

/** A connection that writes nothing, not even beside the file. */
export interface ReadOnlyDatabase extends Disposable {
  readonly database: DatabaseSync;
  /**
   * Call it after each read, before the result counts.
   * @throws `database_changed` if another process may have written meanwhile.
   */
  requireUnchanged(): void;
}

/** Opens a database that this user cannot write, or that is not to be changed. */
export function openToRead(file: string, limits: DatabaseLimits): ReadOnlyDatabase {
  for (const suffix of ["-wal", "-shm"]) requireReadAccess(`${file}${suffix}`);
  const how = chooseReadMode(file);
  const before = how === "readonly_shm" ? undefined : readFileState(file);
  const database = openReadOnly(file, how, limits);
  return {
    database,
    // With shared memory, the locks of SQLite keep the reader and a writer apart.
    requireUnchanged() {
      if (before === undefined || readFileState(file) === before) return;
      const text = `another process began to write to ${file}: run this again`;
      throw new Fault("database_changed", text);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Only a running process keeps both files of a write-ahead log, or has been killed. */
function chooseReadMode(file: string): Parameters<typeof openReadOnly>[1] {
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const isWal = readHeader(file)[WRITE_VERSION_AT] === WAL_VERSION;
  const shm = statSync(`${file}-shm`, { throwIfNoEntry: false });
  if (!isWal || (wal !== undefined && shm !== undefined && shm.size >= SHM_BYTES)) {
    return "readonly_shm";
  }
  return wal === undefined || wal.size === 0 ? "immutable" : "alone";
}

/** SQLite does not name the file that it cannot read. */
function requireReadAccess(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (isMissing(error)) return;
    throw new Fault("database_unreadable", formatFileError("read", file, error));
  }
}

function readFileState(file: string): string {
  const states = ["", "-wal", "-shm"].map((suffix) => {
    const stats = statSync(`${file}${suffix}`, { bigint: true, throwIfNoEntry: false });
    return stats && [stats.ino, stats.size, stats.mtimeNs].join(" ");
  });
  return states.join(", ");
}

/** On a full disk, the attempt to open a database leaves a shorter one, which no process uses. */
const SHM_BYTES = 32 * 1024;

const HEADER_BYTES = 20;
const WRITE_VERSION_AT = 18;
const WAL_VERSION = 2;

/** The start of the file, which SQLite does not tell without opening it as a database. */
export function readHeader(file: string): Buffer {
  const opened = openSync(file, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(opened, header));
  } finally {
    closeSync(opened);
  }
}

const MAGIC = "SQLite format 3\0";

/** SQLite must not open any other file: it would delete the write-ahead log beside it. */
export function isDatabase(file: string): boolean {
  const header = readHeader(file);
  return header.length === 0 || header.toString("latin1", 0, MAGIC.length) === MAGIC;
}
