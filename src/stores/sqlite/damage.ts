import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "../../core/base/fault.ts";
import { isBusy } from "./locking.ts";

/** The damage that SQLite reports, one line each; empty for an intact database. */
export function damageIn(
  database: DatabaseSync,
  check: "quick_check" | "integrity_check",
): readonly string[] {
  try {
    const rows = database.prepare(`PRAGMA ${check}(3)`).all();
    const lines = rows.flatMap((row) => String(row[check]).split("\n"));
    return lines.filter((line) => line !== "ok" && !DATABASE_NAME.test(line));
  } catch (error) {
    if (isBusy(error)) throw error;
    return [messageOf(error)];
  }
}

/** SQLite writes it in a line above the first damage. */
const DATABASE_NAME = /^\*\*\* in database .* \*\*\*$/;
