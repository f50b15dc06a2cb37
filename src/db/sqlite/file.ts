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
import { codeOf, Fault, unlessThrown } from "../../core/base/fault.ts";
import { fileErrorText, isDenied, isMissing } from "../../files/file-error.ts";
import { folderOwner } from "../../files/ownership.ts";
import { isDiskError } from "./locking.ts";

/** @throws If this user cannot find out, or for a pipe, at which SQLite would wait for ever. */
export function databaseExists(file: string): boolean {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFIFO() !== true) return found !== undefined;
  } catch (error) {
    throw accessFault(file) ?? error;
  }
  throw new Fault("database_unreadable", `cannot read ${file}: it is a pipe, not a file`);
}

/** What identifies a file or folder, by whatever path; `undefined` if this user cannot find out. */
export const fileIdentity = (path: string): string | undefined =>
  unlessThrown(() => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "missing" : `${found.dev}:${found.ino}`;
  });

/** As root, gives the new file to the owner of its folder: the gate has to be able to open it. */
export function createEmpty(file: string): void {
  try {
    const made = openSync(file, "wx", 0o600);
    try {
      const owner = folderOwner(dirname(file));
      if (owner !== undefined) fchownSync(made, owner.uid, owner.gid);
    } finally {
      closeSync(made);
    }
  } catch (error) {
    if (isMissing(error)) {
      throw new Fault("database_unwritable", fileErrorText("create", file, error));
    }
    if (codeOf(error) !== "EEXIST") throw error;
    // Another process may have created the file in the meantime: use that one.
    if (databaseExists(file)) return;
    throw new Fault("database_missing", `${file} is a symbolic link to a file that does not exist`);
  }
}

const FOR_OTHERS = 0o077;

/**
 * Makes the database readable by its owner only; SQLite creates -wal and -shm files with the same
 * mode. Changes the mode by path, since closing a descriptor would drop all locks that this process
 * holds on the file. Skips symbolic links, which could lead to a file of root's.
 */
export function restrictToOwner(file: string): void {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      const found = lstatSync(one);
      // The owner of the folder could still replace the file by a link between these two calls.
      if (found.isFile() && (found.mode & FOR_OTHERS) !== 0) chmodSync(one, 0o600);
    } catch (error) {
      if (codeOf(error) === "ENOENT") continue;
      if (codeOf(error) !== "EPERM") throw error;
      const text = `${basename(one)} can be read by other users, and only its owner can change that`;
      throw accessFault(file) ?? new Fault("database_foreign", text);
    }
  }
}

/**
 * Names the missing permission, if any. SQLite does not: it cannot open a file that it must not
 * read, and for a read-only file fails only at the first write.
 */
export function accessFault(file: string): Fault | undefined {
  const unreadable = accessError(file, constants.R_OK);
  if (isDenied(unreadable)) {
    return new Fault("database_unreadable", fileErrorText("read", file, unreadable));
  }
  const errors = [file, dirname(file)].map((path) => accessError(path, constants.W_OK));
  const unwritable = errors.find((error) => codeOf(error) === "EROFS" || isDenied(error));
  if (unwritable === undefined) return undefined;
  return new Fault("database_unwritable", fileErrorText("write", file, unwritable));
}

/** Whether this user can read the file, but not change it or create files beside it. */
export const isReadOnly = (file: string): boolean =>
  accessFault(file)?.code === "database_unwritable";

/** The error to throw: a missing permission or a full disk if that is why, otherwise the error itself. */
export function explained(file: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const denied = accessFault(file);
  if (denied !== undefined || !isDiskError(error) || hasRoom(file)) return denied ?? error;
  const text = `cannot write beside ${file}: no space left on device`;
  return new Fault("database_unwritable", text, { cause: error });
}

/** As much as SQLite needs beside a database to open it. */
const OPENING_BYTES = 64 * 1024;

function hasRoom(file: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize >= OPENING_BYTES;
}

/** Whether the message already names the database and the remedy. */
export function isAccessFault(error: unknown): error is Fault {
  return (
    error instanceof Fault && ["database_unreadable", "database_unwritable"].includes(error.code)
  );
}

function accessError(path: string, mode: number): unknown {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return error;
  }
}
