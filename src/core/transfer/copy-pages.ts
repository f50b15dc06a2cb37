import { setImmediate as turn } from "node:timers/promises";
import type { UserReader } from "../accounts/account-store.ts";
import type { LogReader } from "../log-reader.ts";
import type { Rows } from "./copy-digest.ts";
import type { Amounts, ContentsReader, Portion } from "./transfer-store.ts";

const AT_ONCE = 1_000;

export type CopySource = ContentsReader & UserReader & Pick<LogReader, "readLogEntries">;

export interface CopyProgress {
  readonly step: "checking" | "copying" | "comparing";
  readonly users: Portion;
  readonly entries: Portion;
}

/** Users first: a target that is cut off in the middle is one that nobody else can set up. */
export async function* rowsOf(store: CopySource, start = { userId: "", entryId: 0 }): Rows {
  let { userId, entryId } = start;
  for (;;) {
    // Stores that answer at once would never let a signal come through, nor another reader.
    await turn();
    const users = await store.readUsers({ afterId: userId, limit: AT_ONCE });
    if (users.length === 0) break;
    userId = users.at(-1)?.id ?? userId;
    yield { users, entries: [] };
  }
  for (;;) {
    await turn();
    const entries = await store.readLogEntries({ afterId: entryId, limit: AT_ONCE });
    if (entries.length === 0) break;
    entryId = entries.at(-1)?.id ?? entryId;
    yield { users: [], entries };
  }
}

/** Hands the rows on, for as long as nobody wants it to stop. */
export async function* unless(signal: AbortSignal, rows: Rows): Rows {
  for await (const page of rows) {
    signal.throwIfAborted();
    yield page;
  }
}

export interface Telling {
  readonly totals: Amounts;
  readonly progress: (progress: CopyProgress) => void;
  readonly signal: AbortSignal;
}

/** The same, which also tells of a page once it is done with. */
export async function* tellOf(
  step: CopyProgress["step"],
  before: Amounts,
  rows: Rows,
  { totals, progress, signal }: Telling,
): Rows {
  let { users, entries } = before;
  const tell = (): void => {
    progress({
      step,
      users: { done: users, total: Math.max(users, totals.users) },
      entries: { done: entries, total: Math.max(entries, totals.entries) },
    });
  };
  tell();
  for await (const page of unless(signal, rows)) {
    yield page;
    users += page.users.length;
    entries += page.entries.length;
    tell();
  }
}
