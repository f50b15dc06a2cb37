import { chmodSync, closeSync, fchownSync, lstatSync, openSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf, Fault } from "../core/fault.ts";
import { accessFault, isMissing } from "./database-access.ts";

/** Throws where this user cannot tell. */
export function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw accessFault(file) ?? error;
  }
}

/** For whoever owns the folder: what root makes there, the gate has to be able to open. */
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
    // Where another process was faster, its file serves as well.
    if (isThere(file)) return;
    throw new Fault("database_missing", `${file} is a link to a file that is not there`);
  }
}

/**
 * SQLite itself never makes the file: by a link that leads nowhere, root would make one wherever
 * whoever owns the folder wants it, and open to everybody.
 */
export function openExisting(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set("mode", "rw");
  // No waiting inside SQLite: `retryWhileBusy` waits outside, where the event loop goes on.
  return new DatabaseSync(url, { timeout: 0 });
}

/**
 * SQLite gives new -wal and -shm files the mode of the database. Files that exist are changed by
 * path: closing a descriptor of one would drop every lock that this process already has on it. A
 * link is left alone, since whoever owns the folder could let it lead to a file of root's; what
 * remains is the moment between the look and the change.
 */
export function makeOwnersOnly(file: string): void {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      const found = lstatSync(one);
      if (found.isFile() && (found.mode & FOR_OTHERS) !== 0) chmodSync(one, 0o600);
    } catch (error) {
      if (codeOf(error) === "ENOENT") continue;
      if (codeOf(error) === "EPERM") throw accessFault(file) ?? foreign(one);
      throw error;
    }
  }
}

const FOR_OTHERS = 0o077;

const foreign = (file: string): Fault =>
  new Fault(
    "database_foreign",
    `${basename(file)} is open to others, and only its owner can change that`,
  );
