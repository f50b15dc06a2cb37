import { accessSync, constants, existsSync, statSync } from "node:fs";
import { ownedTables } from "../../db/read-pages.ts";
import type { TableName } from "../../db/tables.ts";
import type { Amounts } from "../../db/transfer-store.ts";
import { Fault, getErrorCode, getErrorMessage, Unavailable } from "../../lib/fault.ts";
import { formatFileError } from "../../lib/files/file-error.ts";
import { formatCount, type OptionValues } from "../command.ts";

/**
 * Lists the tables whose rows an export contains with their user. Sign-ins to apps end with the
 * sessions on which they depend, and when somebody has opened an app belongs to this installation.
 */
export const exportedTables: readonly TableName[] = ownedTables.filter(
  (name) => name !== "grants" && name !== "app_uses",
);

/** Formats amounts such as `2 users and 1 log entry`. */
export const formatAmounts = ({ users, entries }: Amounts): string =>
  `${formatCount(users, "user")} and ${formatCount(entries, "log entry", "log entries")}`;

/** Formats what an export or import has written, such as `2 users and 1 app`. */
export function formatWritten({
  users,
  apps,
}: {
  readonly users: number;
  readonly apps: number;
}): string {
  const ofApps = formatCount(apps, "app");
  if (apps === 0) return formatCount(users, "user");
  return users === 0 ? ofApps : `${formatCount(users, "user")} and ${ofApps}`;
}

/**
 * Creates the error of a failed transfer. It explains what the target contains now, and what to do.
 * @param imported The number of users that earlier transactions of this transfer have written.
 */
export function createTransferFault(
  transfer: "import" | "copy",
  error: unknown,
  imported = 0,
): Fault {
  const reason = getErrorMessage(error);
  const code = getErrorCode(error) ?? `${transfer}_failed`;
  if (imported > 0) {
    const text = `the import stopped after ${formatCount(imported, "user")}: ${reason}; the same command with --skip-bad imports the others`;
    return new Fault(code, text, { cause: error });
  }
  if (error instanceof Unavailable) {
    // If only the database's response was lost, everything has been written.
    const again = "run the same command again: it does everything, or reports that it is done";
    return new Fault(error.code, `the ${transfer} stopped: ${reason}; ${again}`, {
      cause: error,
    });
  }
  const done = transfer === "import" ? "imported" : "copied";
  return new Fault(code, `nothing was ${done}: ${reason}`, { cause: error });
}

/** @throws If a file cannot be read. */
export function requireReadable(file: string): void {
  try {
    if (!statSync(file).isDirectory()) {
      accessSync(file, constants.R_OK);
      return;
    }
  } catch (error) {
    throw new Fault("file_unreadable", formatFileError("read", file, error));
  }
  throw new Fault("file_unreadable", `cannot read ${file}: it is a folder`);
}

/** @throws If a file may not be written there. */
export function requireWritable(file: string, { force }: OptionValues): void {
  if (!existsSync(file)) return;
  if (force !== true) {
    throw new Fault("file_exists", `${file} already exists: --force overwrites it`);
  }
  const stats = statSync(file);
  // The new file would replace a device, such as /dev/null.
  if (!stats.isFile()) {
    const what = stats.isDirectory() ? "a folder" : "not a regular file";
    throw new Fault("file_unwritable", `cannot write ${file}: it is ${what}`);
  }
}
