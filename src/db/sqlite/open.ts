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

/**
 * Loads the module `node:sqlite`. An import would fail on old versions of Node before Latchkey can
 * name the required version.
 */
export const sqlite: typeof import("node:sqlite") = process.getBuiltinModule("node:sqlite");

type DatabaseLimits = Pick<DatabaseSyncOptions, "limits">;

/**
 * These limits are for a database that Latchkey may not have created. SQLite evaluates some
 * expressions while it loads a schema, and these could run for days. A schema that calls functions
 * with arguments therefore fails to load, and queries cannot call such functions either.
 */
export const UNTRUSTED: DatabaseLimits = { limits: { functionArg: 0 } };

/**
 * Opens the file without letting SQLite create it: through a dangling symbolic link, root would
 * create a file, readable by all, wherever the owner of the folder wants.
 */
export function openExisting(file: string, limits: DatabaseLimits = {}): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set("mode", "rw");
  // Deno with limited permissions treats a URL as a path. On Deno, the owner of the folder could
  // still replace the file by a link between these two calls.
  const location = process.versions.deno === undefined ? url : realpathSync(file);
  // A busy timeout is not needed: `retryWhileBusy` waits without blocking the event loop.
  return new sqlite.DatabaseSync(location, { timeout: 0, ...limits });
}

/**
 * Opens the file without creating others beside it.
 *
 * @param how `immutable` while no process writes to the file, `readonly_shm` while a process may
 * write, and `alone` for a -wal without a -shm: its index is then in memory, and nothing is locked.
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

/** Provides a connection that writes nothing, not even beside the file. */
export interface ReadOnlyDatabase extends Disposable {
  readonly database: DatabaseSync;
  /**
   * Checks that the files are unchanged. Must be called after each read, before the result is used.
   *
   * @throws `database_changed` if another process may have written meanwhile.
   */
  requireUnchanged(): void;
}

/** Opens a database that this user cannot write, or that must not change. */
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

/**
 * Chooses how to open the file. Both files of a write-ahead log exist only while a process runs, or
 * after it was killed.
 */
function chooseReadMode(file: string): Parameters<typeof openReadOnly>[1] {
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const isWal = readHeader(file)[WRITE_VERSION_AT] === WAL_VERSION;
  const shm = statSync(`${file}-shm`, { throwIfNoEntry: false });
  if (!isWal || (wal !== undefined && shm !== undefined && shm.size >= SHM_BYTES)) {
    return "readonly_shm";
  }
  return wal === undefined || wal.size === 0 ? "immutable" : "alone";
}

/** Names the file that cannot be read, since SQLite does not. */
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

/**
 * A smaller -shm file is left over from an attempt to open a database on a full disk, and no
 * process uses it.
 */
const SHM_BYTES = 32 * 1024;

const HEADER_BYTES = 20;
const WRITE_VERSION_AT = 18;
const WAL_VERSION = 2;

/** Reads the start of the file, which SQLite reveals only after opening the file as a database. */
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

/**
 * Returns whether SQLite may open the file. SQLite would delete the write-ahead log beside any
 * other file.
 */
export function isDatabase(file: string): boolean {
  const header = readHeader(file);
  return header.length === 0 || header.toString("latin1", 0, MAGIC.length) === MAGIC;
}
