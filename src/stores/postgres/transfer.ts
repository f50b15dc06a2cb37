import { columnsOf, tables } from "../../core/tables.ts";
import type { Amounts, Rows, TransferStore } from "../../core/transfer/transfer-store.ts";
import { columnNames, isNumber } from "../rows.ts";
import type { Ask } from "../statements/sql.ts";
import { readAmounts, transferOn } from "../statements/transfer.ts";
import { insertEntries } from "./log.ts";
import type { Undo } from "./transaction.ts";
import { isTaken } from "./users.ts";

type InTransaction = <T>(work: (ask: Ask, undo: Undo) => Promise<T>) => Promise<T>;

/**
 * The methods that read the whole database, or add many rows to it. Each is in a transaction, which
 * may take longer than a page can wait.
 */
export function postgresTransfer(inTransaction: InTransaction): TransferStore {
  return {
    ...transferOn((...asked) => inTransaction((ask) => ask(...asked))),

    importRows: (pages, into = "any") =>
      inTransaction(async (ask, undo) => {
        const inserted: Record<keyof Amounts, number> = { users: 0, entries: 0 };
        for await (const page of pages) {
          try {
            await insertRows(ask, page);
          } catch (error) {
            if (isTaken(error)) return undo("taken");
            throw error;
          }
          if (page.table === "users") inserted.users += page.rows.length;
          if (page.table === "log") inserted.entries += page.rows.length;
        }
        if (into === "any") return "imported";
        // Counted last: the trigger on the users has waited for a first account of another process.
        const all = await readAmounts(ask);
        const isAlone = all.users === inserted.users && all.entries === inserted.entries;
        return isAlone ? "imported" : undo("taken");
      }),
  };
}

/** A row of a user whose key is known is left out, but not a user. */
async function insertRows(ask: Ask, { table, rows }: Rows): Promise<void> {
  if (table === "log") return insertEntries(ask, rows);
  if (rows.length === 0) return;
  const columns = columnsOf(tables[table]);
  const lists = columns.map(
    ([, { kind }], at) => `unnest($${at + 1}::${isNumber(kind) ? "int8" : "text"}[])`,
  );
  const known = table === "users" ? "" : "ON CONFLICT DO NOTHING";
  await ask(
    `INSERT INTO {${table}} (${columnNames(tables[table])})
     SELECT rows.* FROM ROWS FROM (${lists.join(", ")}) AS rows ${known}`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}
