import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { codeOf, Fault } from "../core/fault.ts";

/**
 * Which permission is missing, if one is. SQLite does not tell: a file that it may not read is one
 * that it cannot open, and the first attempt to write to one fails much later.
 */
export function accessFault(file: string): Fault | undefined {
  if (isRefused(file, constants.R_OK)) return refused("database_unreadable", file, "read");
  if ([file, dirname(file)].some((path) => isRefused(path, constants.W_OK))) {
    return refused("database_unwritable", file, "written");
  }
  return undefined;
}

/** What to throw instead of an error that does not say that a permission is missing. */
export const explained = (file: string, error: unknown): unknown =>
  error instanceof Fault ? error : (accessFault(file) ?? error);

/** Whether a fault says by itself which database it is about, and what to do. */
export function isAccessFault(error: unknown): error is Fault {
  return (
    error instanceof Fault && ["database_unreadable", "database_unwritable"].includes(error.code)
  );
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function isRefused(path: string, what: number): boolean {
  try {
    accessSync(path, what);
    return false;
  } catch (error) {
    return codeOf(error) === "EACCES" || codeOf(error) === "EPERM";
  }
}

const refused = (code: string, file: string, done: "read" | "written"): Fault =>
  new Fault(
    code,
    `${file} cannot be ${done} by this user: run this as the user whom the gate runs as`,
  );
