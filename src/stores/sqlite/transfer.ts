import type { DatabaseSync } from "node:sqlite";
import { columnName, columnsOf, tables } from "../../core/tables.ts";
import type { Rows, TransferStore } from "../../core/transfer/transfer-store.ts";
import type { Ask } from "../statements/sql.ts";
import { readAmounts, transferOn } from "../statements/transfer.ts";
import { inSqlite, isTaken, retryWhileBusy } from "./locking.ts";

/** The methods that read the whole database, or add many rows to it. */
export function sqliteTransfer(database: DatabaseSync, ask: Ask): TransferStore {
  return {
    ...transferOn(ask),

    async importRows(pages, into = "any") {
      // Not `inTransaction`, since reading the rows may wait.
      await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"));
      try {
        if (into === "empty") {
          const { users, entries } = await readAmounts(ask);
          if (users + entries > 0) return "taken";
        }
        for await (const page of pages) insertRows(database, page);
        database.exec("COMMIT");
        return "imported";
      } catch (error) {
        if (isTaken(error)) return "taken";
        throw error;
      } finally {
        if (database.isTransaction) database.exec("ROLLBACK");
      }
    },
  };
}

/** Runs in a transaction. A row of a user whose key is known is left out, but not a user. */
export function insertRows(database: DatabaseSync, { table, rows }: Rows): void {
  const columns = columnsOf(tables[table]).map(([field]) => columnName(field));
  const known = table === "users" || table === "log" ? "" : "ON CONFLICT DO NOTHING";
  const insert = database.prepare(
    inSqlite(`INSERT INTO {${table}} (${columns.join(", ")})
      VALUES (${columns.map(() => "?").join(", ")}) ${known}`),
  );
  // The database counts the entries of its log.
  for (const row of rows) insert.run(...(table === "log" ? row.with(0, null) : row));
}
