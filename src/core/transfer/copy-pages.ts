import { setImmediate as turn } from "node:timers/promises";
import type { UserReader } from "../accounts/account-store.ts";
import type { LogReader } from "../log-reader.ts";
import type { Rows } from "./copy-digest.ts";
import { type Amounts, type ContentsReader, type Progress, progressOf } from "./transfer-store.ts";

const PAGE_SIZE = 1_000;

export type CopySource = ContentsReader & UserReader & Pick<LogReader, "readLogEntries">;

export type CopyProgress = Progress<"checking" | "copying" | "comparing">;

/**
 * Yields the rows until the signal aborts. Users first, so that the setup is closed in a target whose
 * copy was interrupted.
 */
export async function* rowsOf(
  store: CopySource,
  signal: AbortSignal,
  start = { userId: "", entryId: 0 },
): Rows {
  let { userId, entryId } = start;
  for (;;) {
    // Lets signals and other readers run: a store may answer without a turn of the event loop.
    await turn();
    const users = await store.readUsers({ afterId: userId, limit: PAGE_SIZE });
    if (users.length === 0) break;
    userId = users.at(-1)?.id ?? userId;
    signal.throwIfAborted();
    yield { users, entries: [] };
  }
  for (;;) {
    await turn();
    const entries = await store.readLogEntries({ afterId: entryId, limit: PAGE_SIZE });
    if (entries.length === 0) break;
    entryId = entries.at(-1)?.id ?? entryId;
    signal.throwIfAborted();
    yield { users: [], entries };
  }
}

export interface Reporting {
  readonly totals: Amounts;
  readonly progress: (progress: CopyProgress) => void;
}

/** Yields the rows, and reports each page after it was processed. */
export async function* reportProgress(
  step: CopyProgress["step"],
  before: Amounts,
  rows: Rows,
  { totals, progress }: Reporting,
): Rows {
  let { users, entries } = before;
  progress(progressOf(step, { users, entries }, totals));
  for await (const page of rows) {
    yield page;
    users += page.users.length;
    entries += page.entries.length;
    progress(progressOf(step, { users, entries }, totals));
  }
}
