import { setImmediate as turn } from "node:timers/promises";
import type { UserReader } from "../accounts/account-store.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { LogReader } from "../log/log-reader.ts";
import { pagesOf } from "./pages.ts";
import type { Amounts, ContentsReader, NewRows, Portion } from "./transfer-store.ts";

export type CopySource = ContentsReader & UserReader & Pick<LogReader, "readLogEntries">;

export interface CopyProgress {
  readonly step: "copying" | "checking" | "comparing";
  readonly users: Portion;
  readonly entries: Portion;
}

export interface Reading {
  readonly totals: Amounts;
  readonly progress: (progress: CopyProgress) => void;
  /** Ends the reading after the current page. */
  readonly signal: AbortSignal;
}

/** Yields all users, then all log entries, and reports each page after it was processed. */
export async function* rowsOf(
  store: CopySource,
  step: CopyProgress["step"],
  { totals, progress, signal }: Reading,
): AsyncGenerator<NewRows, void, undefined> {
  const done = { users: 0, entries: 0 };
  const show = (): void => {
    const users = portionOf(done.users, totals.users);
    progress({ step, users, entries: portionOf(done.entries, totals.entries) });
  };
  show();
  for await (const page of allRows(store)) {
    if (signal.aborted) throw new Fault("interrupted", "interrupted");
    yield page;
    done.users += page.users.length;
    done.entries += page.entries.length;
    show();
    // Lets signals and other readers run: a store may answer without a turn of the event loop.
    await turn();
  }
}

/** Rows that were added meanwhile raise the total. */
const portionOf = (done: number, total: number): Portion => ({
  done,
  total: Math.max(done, total),
});

async function* allRows(store: CopySource): AsyncGenerator<NewRows, void, undefined> {
  for await (const users of pagesOf("", (query) => reading(store.readUsers(query)))) {
    yield { users, entries: [] };
  }
  for await (const entries of pagesOf(0, (query) => reading(store.readLogEntries(query)))) {
    yield { users: [], entries };
  }
}

/** Faults only: the store that writes the rows would take another error for one of its own driver. */
async function reading<T>(page: Promise<T>): Promise<T> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("unreadable", messageOf(error), { cause: error });
  }
}
