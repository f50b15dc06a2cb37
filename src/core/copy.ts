import { setImmediate as turn } from "node:timers/promises";
import { type Difference, differencesOf, digestOf, type Rows } from "./copy-digest.ts";
import {
  type Amounts,
  after,
  type Mark,
  markIn,
  type Refusal,
  type Start,
  startFrom,
} from "./copy-mark.ts";
import type {
  Contents,
  ContentsReader,
  Importer,
  ImportRows,
  LogReader,
  UserReader,
} from "./store.ts";

const AT_ONCE = 1_000;

export type CopySource = ContentsReader & UserReader & Pick<LogReader, "readLogEntries">;
export type CopyTarget = CopySource & Importer;

export interface CopyOptions {
  /** Names the source in the target's mark, so that no other source goes on with it. */
  readonly name: string;
  readonly progress: (progress: CopyProgress) => void;
  /** Ends the copy after the batch that is under way. */
  readonly signal: AbortSignal;
}

export interface CopyProgress {
  readonly step: "checking" | "copying" | "comparing";
  readonly users: Portion;
  readonly entries: Portion;
}

interface Portion {
  readonly done: number;
  readonly total: number;
}

export type CopyOutcome =
  | ({ readonly kind: "copied" } & Amounts)
  | { readonly kind: "source-empty" }
  | { readonly kind: "source-unfinished"; readonly source: string }
  | Refusal
  | { readonly kind: "unstorable"; readonly problem: string }
  | { readonly kind: "different"; readonly differences: readonly Difference[] }
  | { readonly kind: "interrupted" };

/**
 * Copies all users and log entries into a store that has none, or goes on where a copy of the same
 * source was cut off. Reads both sides again at the end and compares them.
 */
export async function copy(
  source: CopySource,
  target: CopyTarget,
  options: CopyOptions,
): Promise<CopyOutcome> {
  try {
    for (;;) {
      const contents = await source.readContents();
      if (contents.users + contents.entries === 0) return { kind: "source-empty" };
      const own = markIn(contents.mark);
      if (own !== undefined && own.state !== "finished") {
        return { kind: "source-unfinished", source: own.source };
      }
      const start = startFrom(await target.readContents(), options.name);
      if (start.kind !== "start") return start;
      const outcome = await copyFrom(start, source, contents, target, options);
      // Somebody was faster: the look at the target tells who.
      if (outcome !== "overtaken") return outcome;
    }
  } catch (error) {
    if (options.signal.aborted && error === options.signal.reason) return { kind: "interrupted" };
    throw error;
  }
}

async function copyFrom(
  start: Start,
  source: CopySource,
  totals: Contents,
  target: CopyTarget,
  { progress, signal }: CopyOptions,
): Promise<CopyOutcome | "overtaken"> {
  const { users, entries } = start.mark;
  const told = (step: CopyProgress["step"], before: Amounts, rows: Rows): Rows =>
    tellOf(rows, { step, before, totals, progress, signal });
  const none: Amounts = { users: 0, entries: 0 };

  if (target.problemWith !== undefined) {
    for await (const page of told("checking", start.mark, rowsOf(source, start.mark))) {
      const problem = target.problemWith(page);
      if (problem !== undefined) return { kind: "unstorable", problem };
    }
  }

  let { mark, from, how } = start;
  async function importNext(rows: ImportRows, next: Mark): Promise<boolean> {
    const to = { mark: JSON.stringify(next), lastEntryId: next.lastEntryId };
    if ((await target.importBatch({ ...rows, from, to, how })) === "overtaken") return false;
    [mark, from, how] = [next, to, "add"];
    return true;
  }
  for await (const page of told("copying", { users, entries }, rowsOf(source, mark))) {
    if (!(await importNext(page, after(page, mark)))) return "overtaken";
  }

  const [inSource, inTarget] = await Promise.all([
    digestOf(rowsOf(source)),
    digestOf(told("comparing", none, rowsOf(target))),
  ]);
  const differences = differencesOf(inSource, inTarget);
  const state = differences.length === 0 ? "finished" : "different";
  const { lastEntryId } = await source.readContents();
  const end = Math.max(mark.lastEntryId, lastEntryId);
  const nothing: ImportRows = { users: [], entries: [] };
  if (!(await importNext(nothing, { ...mark, lastEntryId: end, state }))) return "overtaken";
  return state === "different"
    ? { kind: "different", differences }
    : { kind: "copied", users: mark.users, entries: mark.entries };
}

/** Users first: a target that is cut off in the middle is one that nobody else can set up. */
async function* rowsOf(store: CopySource, start = { userId: "", entryId: 0 }): Rows {
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

interface Telling extends Pick<CopyOptions, "progress" | "signal"> {
  readonly step: CopyProgress["step"];
  readonly before: Amounts;
  readonly totals: Amounts;
}

/** Hands the rows on, for as long as nobody wants it to stop; tells of a page once it is done with. */
async function* tellOf(rows: Rows, { step, before, totals, progress, signal }: Telling): Rows {
  let { users, entries } = before;
  const tell = (): void => {
    progress({
      step,
      users: { done: users, total: Math.max(users, totals.users) },
      entries: { done: entries, total: Math.max(entries, totals.entries) },
    });
  };
  tell();
  for await (const page of rows) {
    signal.throwIfAborted();
    yield page;
    users += page.users.length;
    entries += page.entries.length;
    tell();
  }
}
