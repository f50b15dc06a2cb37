import { Fault, messageOf } from "../base/fault.ts";
import type { Values } from "../tables.ts";
import { rowPagesOf, tableNames } from "./pages.ts";
import type { Amounts, Portion, RowReader, Rows } from "./transfer-store.ts";

export type CopySource = Pick<RowReader, "readAmounts" | "readRows">;

export interface CopyProgress {
  readonly step: "copying" | "checking" | "comparing";
  readonly users: Portion;
  readonly entries: Portion;
}

export interface Reading {
  readonly totals: Amounts;
  readonly progress: (progress: CopyProgress) => void;
}

/** Yields the rows of all tables, and reports each page after it was processed. */
export async function* rowsOf(
  store: CopySource,
  step: CopyProgress["step"],
  { totals, progress }: Reading,
): AsyncGenerator<Rows, void, undefined> {
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
): AsyncGenerator<readonly Values[], void, undefined> {
  try {
    yield* pages;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("unreadable", messageOf(error), { cause: error });
  }
}
