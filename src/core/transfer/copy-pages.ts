import { AnyFault, messageOf } from "../base/fault.ts";
import type { Values } from "../tables.ts";
import { rowPagesOf, tableNames } from "./pages.ts";
import type { Amounts, Portion, Progress, RowReader, Rows } from "./transfer-store.ts";

export type CopySource = Pick<RowReader, "readAmounts" | "readRows">;

export interface Reading {
  readonly totals: Amounts;
  readonly progress: (progress: Progress) => void;
}

/** Yields the rows of all tables, and reports each page after it was processed. */
export async function* rowsOf(
  store: CopySource,
  step: Progress["step"],
  { totals, progress }: Reading,
): AsyncIterable<Rows> {
  const done = { users: 0, log: 0 };
  const show = (): void => {
    const users = portionOf(done.users, totals.users);
    progress({ step, users, entries: portionOf(done.log, totals.entries) });
  };
  show();
  for (const table of tableNames) {
    for await (const rows of faultsOf(rowPagesOf(store, table))) {
      yield { table, rows };
      if (table === "users" || table === "log") done[table] += rows.length;
      show();
    }
  }
}

/** Rows that were added meanwhile raise the total. */
const portionOf = (done: number, total: number): Portion => ({
  done,
  total: Math.max(done, total),
});

/** Faults only: the store that writes the rows would take another error for one of its own driver. */
async function* faultsOf(
  pages: AsyncIterable<readonly Values[]>,
): AsyncIterable<readonly Values[]> {
  try {
    yield* pages;
  } catch (error) {
    if (error instanceof AnyFault) throw error;
    throw new AnyFault("unreadable", messageOf(error), { cause: error });
  }
}
