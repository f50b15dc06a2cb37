import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { codeOf, Fault } from "../core/fault.ts";

/**
 * Which permission is missing, if one is. SQLite does not tell: a file that it may not read is one
 * that it cannot open, and the first attempt to write to one fails much later.
 */
export function accessFault(file: string): Fault | undefined {
  if (isRefused(refusalOf(file, constants.R_OK))) {
    return refused("database_unreadable", file, "read");
  }
  const refusals = [file, dirname(file)].map((path) => refusalOf(path, constants.W_OK));
  if (refusals.includes("EROFS")) {
    const why = "it is on a read-only file system";
    return new Fault("database_unwritable", `${file} cannot be written: ${why}`);
  }
  return refusals.some(isRefused) ? refused("database_unwritable", file, "written") : undefined;
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

const isRefused = (code: string | undefined): boolean => code === "EACCES" || code === "EPERM";

function refusalOf(path: string, what: number): string | undefined {
  try {
    accessSync(path, what);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

const refused = (code: string, file: string, done: "read" | "written"): Fault =>
  new Fault(
    code,
    `${file} cannot be ${done} by this user: run this as the user whom the gate runs as`,
  );
