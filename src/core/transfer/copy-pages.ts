import { setImmediate as turn } from "node:timers/promises";
import type { UserReader } from "../accounts/account-store.ts";
import type { LogReader } from "../log-reader.ts";
import type { Rows } from "./copy-digest.ts";
import type { Amounts, ContentsReader, Portion } from "./transfer-store.ts";

const PAGE_SIZE = 1_000;

export type CopySource = ContentsReader & UserReader & Pick<LogReader, "readLogEntries">;

export interface CopyProgress {
  readonly step: "checking" | "copying" | "comparing";
  readonly users: Portion;
  readonly entries: Portion;
}

/** Users first, so that the setup is closed in a target whose copy was interrupted. */
export async function* rowsOf(store: CopySource, start = { userId: "", entryId: 0 }): Rows {
  let { userId, entryId } = start;
  for (;;) {
    // Lets signals and other readers run: a store may answer without a turn of the event loop.
    await turn();
    const users = await store.readUsers({ afterId: userId, limit: PAGE_SIZE });
    if (users.length === 0) break;
    userId = users.at(-1)?.id ?? userId;
    yield { users, entries: [] };
  }
  for (;;) {
    await turn();
    const entries = await store.readLogEntries({ afterId: entryId, limit: PAGE_SIZE });
    if (entries.length === 0) break;
    entryId = entries.at(-1)?.id ?? entryId;
    yield { users: [], entries };
  }
}

/** Yields the rows until the signal aborts. */
export async function* untilAborted(signal: AbortSignal, rows: Rows): Rows {
  for await (const page of rows) {
    signal.throwIfAborted();
    yield page;
  }
}

export interface Reporting {
  readonly totals: Amounts;
  readonly progress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** Yields the rows until the signal aborts, and reports each page after it was processed. */
export async function* reportProgress(
  step: CopyProgress["step"],
  before: Amounts,
  rows: Rows,
  { totals, progress, signal }: Reporting,
): Rows {
  let { users, entries } = before;
  const report = (): void => {
    progress({
      step,
      users: { done: users, total: Math.max(users, totals.users) },
      entries: { done: entries, total: Math.max(entries, totals.entries) },
    });
  };
  report();
  for await (const page of untilAborted(signal, rows)) {
    yield page;
    users += page.users.length;
    entries += page.entries.length;
    report();
  }
}
