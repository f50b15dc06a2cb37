import { type Difference, differencesOf, digestOf, type Rows } from "./copy-digest.ts";
import { advance, type Mark, parseMark, type Refusal, type Start, startFrom } from "./copy-mark.ts";
import { type CopyProgress, type CopySource, reportProgress, rowsOf } from "./copy-pages.ts";
import type { Amounts, Importer, ImportRows } from "./transfer-store.ts";

export type { CopyProgress, CopySource } from "./copy-pages.ts";

export type CopyTarget = CopySource & Importer;

export interface CopyOptions {
  /** Identifies the source in the target's mark, so that only the same source continues it. */
  readonly name: string;
  readonly progress: (progress: CopyProgress) => void;
  /** Ends the copy after the current batch. */
  readonly signal: AbortSignal;
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
 * Copies all users, sessions and log entries into an empty store, or continues an interrupted copy
 * of the same source. Reads both sides again at the end and compares them.
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
      const own = parseMark(contents.mark);
      if (own !== undefined && own.state !== "finished") {
        return { kind: "source-unfinished", source: own.source };
      }
      const start = startFrom(await target.readContents(), options.name);
      if (start.kind !== "start") return start;
      const outcome = await copyFrom(start, { source, target, totals: contents, ...options });
      // Another copy was faster: the next read of the target shows which.
      if (outcome !== "overtaken") return outcome;
    }
  } catch (error) {
    if (options.signal.aborted && error === options.signal.reason) return { kind: "interrupted" };
    throw error;
  }
}

interface Copying extends CopyOptions {
  readonly source: CopySource;
  readonly target: CopyTarget;
  readonly totals: Amounts;
}

/** The progress of the target. */
type Reached = Pick<Start, "mark" | "from" | "how">;

async function copyFrom(start: Start, copying: Copying): Promise<CopyOutcome | "overtaken"> {
  const problem = await findUnstorable(start.mark, copying);
  if (problem !== undefined) return { kind: "unstorable", problem };
  const copied = await copyRows(start, copying);
  if (copied === "overtaken") return "overtaken";
  return finish(copied, await compare(copying), copying);
}

async function findUnstorable(start: Mark, copying: Copying): Promise<string | undefined> {
  const { source, target, signal } = copying;
  if (target.problemWith === undefined) return undefined;
  const rows = rowsOf(source, signal, start);
  for await (const page of reportProgress("checking", start, rows, copying)) {
    const problem = target.problemWith(page);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function copyRows(start: Start, copying: Copying): Promise<Reached | "overtaken"> {
  const { source, target, signal } = copying;
  let reached: Reached = start;
  const rows = rowsOf(source, signal, start.mark);
  for await (const page of reportProgress("copying", start.mark, rows, copying)) {
    const next = await importNext(target, reached, page, advance(page, reached.mark));
    if (next === "overtaken") return "overtaken";
    reached = next;
  }
  return reached;
}

async function importNext(
  target: CopyTarget,
  { from, how }: Reached,
  rows: ImportRows,
  mark: Mark,
): Promise<Reached | "overtaken"> {
  const to = { mark: JSON.stringify(mark), lastEntryId: mark.lastEntryId };
  const outcome = await target.importBatch({ ...rows, from, to, how });
  return outcome === "overtaken" ? outcome : { mark, from: to, how: "add" };
}

/** Reads both sides in parallel. When one fails, waits until the other has stopped too. */
async function compare(copying: Copying): Promise<readonly Difference[]> {
  const { source, target } = copying;
  const failed = new AbortController();
  const signal = AbortSignal.any([copying.signal, failed.signal]);
  const none: Amounts = { users: 0, entries: 0 };
  const digest = async (rows: Rows): ReturnType<typeof digestOf> => {
    try {
      return await digestOf(rows);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
  const sides = [
    digest(rowsOf(source, signal)),
    digest(reportProgress("comparing", none, rowsOf(target, signal), copying)),
  ] as const;
  await Promise.allSettled(sides);
  return differencesOf(...(await Promise.all(sides)));
}

async function finish(
  copied: Reached,
  differences: readonly Difference[],
  { source, target }: Copying,
): Promise<CopyOutcome | "overtaken"> {
  const state = differences.length === 0 ? "finished" : "different";
  const { lastEntryId } = await source.readContents();
  const { mark } = copied;
  const end: Mark = { ...mark, lastEntryId: Math.max(mark.lastEntryId, lastEntryId), state };
  const nothing: ImportRows = { users: [], entries: [] };
  if ((await importNext(target, copied, nothing, end)) === "overtaken") return "overtaken";
  return state === "different"
    ? { kind: "different", differences }
    : { kind: "copied", users: mark.users, entries: mark.entries };
}
