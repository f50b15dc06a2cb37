import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  openSync,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf, Fault } from "../../core/fault.ts";

/** @throws When this user cannot find out whether the file exists. */
export function databaseExists(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw accessFault(file) ?? error;
  }
}

/** As root, gives the new file to the owner of its folder: the gate has to be able to open it. */
export function createEmpty(file: string): void {
  try {
    const made = openSync(file, "wx", 0o600);
    try {
      if (process.geteuid?.() !== 0) return;
      const { uid, gid } = statSync(dirname(file));
      fchownSync(made, uid, gid);
    } finally {
      closeSync(made);
    }
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // Another process may have created the file in the meantime: use that one.
    if (databaseExists(file)) return;
    throw new Fault("database_missing", `${file} is a symbolic link to a file that does not exist`);
  }
}

/**
 * Opens the file without letting SQLite create it: through a dangling symbolic link, root would
 * create a file wherever the owner of the folder wants it, readable by all.
 */
export function openExisting(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set("mode", "rw");
  // No busy timeout: `retryWhileBusy` waits without blocking the event loop.
  return new DatabaseSync(url, { timeout: 0 });
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
      if (codeOf(error) === "EPERM") throw accessFault(file) ?? ownedByOther(one);
      throw error;
    }
  }
}

const ownedByOther = (file: string): Fault =>
  new Fault(
    "database_foreign",
    `${basename(file)} can be read by other users, and only its owner can change that`,
  );

/**
 * Names the missing permission, if any. SQLite does not: it cannot open a file that it must not
 * read, and for a read-only file fails only at the first write.
 */
export function accessFault(file: string): Fault | undefined {
  if (isDenied(accessErrorOf(file, constants.R_OK))) {
    return denied("database_unreadable", file, "read");
  }
  const errors = [file, dirname(file)].map((path) => accessErrorOf(path, constants.W_OK));
  if (errors.includes("EROFS")) {
    const why = "it is on a read-only file system";
    return new Fault("database_unwritable", `${file} cannot be written: ${why}`);
  }
  return errors.some(isDenied) ? denied("database_unwritable", file, "written") : undefined;
}

/** The error to throw: a missing permission if there is one, otherwise the error itself. */
export const explained = (file: string, error: unknown): unknown =>
  error instanceof Fault ? error : (accessFault(file) ?? error);

/** Whether the message already names the database and the remedy. */
export function isAccessFault(error: unknown): error is Fault {
  return (
    error instanceof Fault && ["database_unreadable", "database_unwritable"].includes(error.code)
  );
}

const isDenied = (code: string | undefined): boolean => code === "EACCES" || code === "EPERM";

function accessErrorOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

const denied = (code: string, file: string, done: "read" | "written"): Fault =>
  new Fault(
    code,
    `${file} cannot be ${done} by this user: run this as the user that the gate runs as`,
  );
