import { accessSync, constants, existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { AnyFault, Fault } from "../../core/base/fault.ts";
import { fileErrorText, isMissing } from "../../files/file-error.ts";
import { type DatabaseLimits, hasWalHeader, openReadOnly } from "./file.ts";

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
  for (const suffix of ["-wal", "-shm"]) requireReadable(`${file}${suffix}`);
  const how = howToRead(file);
  const before = how === "readonly_shm" ? undefined : stateOf(file);
  const database = openReadOnly(file, how, limits);
  return {
    database,
    // With shared memory, the locks of SQLite keep the reader and a writer apart.
    requireUnchanged() {
      if (before === undefined || stateOf(file) === before) return;
      const text = `another process began to write to ${file}: run this again`;
      throw new AnyFault("database_changed", text);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Only a running process keeps both files of a write-ahead log, or has been killed. */
function howToRead(file: string): Parameters<typeof openReadOnly>[1] {
  const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (!hasWalHeader(file) || (wal !== undefined && existsSync(`${file}-shm`))) {
    return "readonly_shm";
  }
  return wal === undefined || wal.size === 0 ? "immutable" : "alone";
}

/** SQLite does not name the file that it cannot read. */
function requireReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    if (isMissing(error)) return;
    throw new Fault("database_unreadable", fileErrorText("read", file, error));
  }
}

function stateOf(file: string): string {
  const states = ["", "-wal", "-shm"].map((suffix) => {
    const found = statSync(`${file}${suffix}`, { bigint: true, throwIfNoEntry: false });
    return found && [found.ino, found.size, found.mtimeNs].join(" ");
  });
  return states.join(", ");
}
