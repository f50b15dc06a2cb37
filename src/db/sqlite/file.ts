import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  openSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { Fault, getErrorCode, tryCall } from "../../lib/fault.ts";
import { formatFileError, isDenied, isMissing } from "../../lib/files/file-error.ts";
import { explainDeniedFolder, findNewFileOwner } from "../../lib/files/ownership.ts";
import { isDiskError } from "./locking.ts";

/**
 * @throws If this user cannot find out, or if the file is a pipe, on which SQLite would wait
 * forever.
 */
export function hasDatabase(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFIFO() !== true) return stats !== undefined;
  } catch (error) {
    throw findAccessFault(file) ?? error;
  }
  throw new Fault("database_unreadable", `cannot read ${file}: it is a pipe, not a file`);
}

/**
 * Returns the ID of a file or folder, which does not depend on the path. Returns `undefined` if
 * this user cannot find out.
 */
export const getFileId = (path: string): string | undefined =>
  tryCall(() => {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? "missing" : `${stats.dev}:${stats.ino}`;
  });

/**
 * Creates an empty file. Root gives the file to the owner of its folder, since the gate must be
 * able to open it.
 */
export function createEmptyFile(file: string): void {
  try {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      const owner = findNewFileOwner(dirname(file));
      if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isMissing(error)) {
      throw new Fault("database_unwritable", formatFileError("create", file, error));
    }
    if (getErrorCode(error) !== "EEXIST") throw error;
    // Another process may have created the file in the meantime, which is then used.
    if (hasDatabase(file)) return;
    throw new Fault("database_missing", `${file} is a symbolic link to a file that does not exist`);
  }
}

const FOR_OTHERS = 0o077;

/**
 * Makes the database readable by its owner only; SQLite creates -wal and -shm files with the same
 * mode. Changes the mode by path, since closing a descriptor drops all locks that this process
 * holds on the file. Skips symbolic links, which could lead to a file of root's.
 */
export function restrictToOwner(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      const stats = lstatSync(path);
      // The owner of the folder could still replace the file by a link between these two calls.
      if (stats.isFile() && (stats.mode & FOR_OTHERS) !== 0) chmodSync(path, 0o600);
    } catch (error) {
      if (getErrorCode(error) === "ENOENT") continue;
      if (getErrorCode(error) !== "EPERM") throw error;
      const text = `${basename(path)} can be read by other users, and only its owner can change that`;
      throw findAccessFault(file) ?? new Fault("database_foreign", text);
    }
  }
}

/**
 * Names the missing permission, if any. SQLite does not name it: it cannot open a file without read
 * permission, and fails for a read-only file only at the first write.
 */
export function findAccessFault(file: string): Fault | undefined {
  const unreadable = findAccessError(file, constants.R_OK);
  if (isDenied(unreadable)) {
    return new Fault("database_unreadable", formatFileError("read", file, unreadable));
  }
  const folder = dirname(file);
  const errors = [file, folder].map((path) => findAccessError(path, constants.W_OK));
  const unwritable = errors.find((error) => getErrorCode(error) === "EROFS" || isDenied(error));
  if (unwritable === undefined) return undefined;
  const text =
    unwritable === errors[1] && isDenied(unwritable)
      ? `cannot write ${file}: ${explainDeniedFolder(folder)}`
      : formatFileError("write", file, unwritable);
  return new Fault("database_unwritable", text);
}

/** Returns whether this user can read the file, but cannot change it or create files beside it. */
export const isReadOnly = (file: string): boolean =>
  findAccessFault(file)?.code === "database_unwritable";

/**
 * Returns the error to throw: a missing permission or a full disk if that is the cause, otherwise
 * the error itself.
 */
export function explainError(file: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const denied = findAccessFault(file);
  if (denied !== undefined || !isDiskError(error) || hasRoom(file)) return denied ?? error;
  const text = `cannot write beside ${file}: no space left on device`;
  return new Fault("database_unwritable", text, { cause: error });
}

/** SQLite needs this much room beside a database to open it. */
const OPENING_BYTES = 64 * 1024;

function hasRoom(file: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize >= OPENING_BYTES;
}

/** Returns whether the message already names the database and the remedy. */
export function isAccessFault(error: unknown): error is Fault {
  return (
    error instanceof Fault && ["database_unreadable", "database_unwritable"].includes(error.code)
  );
}

function findAccessError(path: string, mode: number): unknown {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return error;
  }
}
