import { hash } from "node:crypto";
import type {
  Contents,
  ContentsReader,
  Importer,
  ImportPoint,
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

export interface Amounts {
  readonly users: number;
  readonly entries: number;
}

export type CopyOutcome =
  | ({ readonly kind: "copied" } & Amounts)
  | { readonly kind: "source-empty" }
  | { readonly kind: "source-unfinished"; readonly source: string }
  | ({ readonly kind: "target-occupied" } & Amounts)
  | { readonly kind: "target-of-another"; readonly source: string }
  | { readonly kind: "target-changed" }
  | { readonly kind: "unstorable"; readonly problem: string }
  | { readonly kind: "different"; readonly differences: readonly Difference[] }
  | { readonly kind: "interrupted" };

export interface Difference {
  readonly of: "users" | "log entries";
  readonly inSource: number;
  readonly inTarget: number;
}

/** How far a copy has come. Stands in the target, written together with what it speaks of. */
interface Mark extends Amounts {
  readonly source: string;
  /** What it had read last. */
  readonly userId: string;
  readonly entryId: number;
  /** Where the target's log entry IDs end: one that is higher comes from somebody else. */
  readonly lastEntryId: number;
  readonly state: "copying" | "different" | "finished";
}

interface Start {
  readonly kind: "start";
  readonly mark: Mark;
  readonly from: ImportPoint;
  readonly how: "add" | "start-over";
}

type Rows = AsyncGenerator<ImportRows, void, undefined>;

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

function startFrom(contents: Contents, source: string): Start | CopyOutcome {
  const { users, entries, lastEntryId } = contents;
  const fresh: Mark = {
    ...{ source, users: 0, entries: 0, userId: "", entryId: 0 },
    ...{ lastEntryId, state: "copying" },
  };
  const mark = contents.mark === undefined ? fresh : markIn(contents.mark);
  if (mark === undefined || mark.state === "finished") {
    return { kind: "target-occupied", users, entries };
  }
  if (contents.mark === undefined && users + entries > 0) {
    return { kind: "target-occupied", users, entries };
  }
  if (mark.source !== source) return { kind: "target-of-another", source: mark.source };
  if (mark.users !== users || mark.entries !== entries || mark.lastEntryId !== lastEntryId) {
    return { kind: "target-changed" };
  }
  return mark.state === "different"
    ? { kind: "start", mark: fresh, from: contents, how: "start-over" }
    : { kind: "start", mark, from: contents, how: "add" };
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
    if (!(await importNext(page, after(page, mark, totals)))) return "overtaken";
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

function after({ users, entries }: ImportRows, mark: Mark, totals: Contents): Mark {
  const entryId = entries.at(-1)?.id ?? mark.entryId;
  return {
    ...mark,
    users: mark.users + users.length,
    entries: mark.entries + entries.length,
    userId: users.at(-1)?.id ?? mark.userId,
    entryId,
    lastEntryId: Math.max(mark.lastEntryId, totals.lastEntryId, entryId),
  };
}

/** Users first: a target that is cut off in the middle is one that nobody else can set up. */
async function* rowsOf(store: CopySource, start = { userId: "", entryId: 0 }): Rows {
  let { userId, entryId } = start;
  for (;;) {
    const users = await store.readUsers({ afterId: userId, limit: AT_ONCE });
    if (users.length === 0) break;
    userId = users.at(-1)?.id ?? userId;
    yield { users, entries: [] };
  }
  for (;;) {
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

interface Digest {
  count: number;
  /** Of the rows' hashes, modulo 2 to the 128: the same in whichever order they come. */
  sum: bigint;
}

async function digestOf(rows: Rows): Promise<{ users: Digest; entries: Digest }> {
  const users: Digest = { count: 0, sum: 0n };
  const entries: Digest = { count: 0, sum: 0n };
  for await (const page of rows) {
    for (const user of page.users) {
      add(users, [user.id, user.username, user.passwordHash]);
    }
    for (const { id, at, type, summary, author } of page.entries) {
      add(entries, [id, at.getTime(), type, summary, author]);
    }
  }
  return { users, entries };
}

function add(digest: Digest, row: readonly unknown[]): void {
  const sum = hash("sha256", JSON.stringify(row), "buffer");
  const low = (sum.readBigUInt64BE(16) << 64n) | sum.readBigUInt64BE(24);
  digest.count += 1;
  digest.sum = BigInt.asUintN(128, digest.sum + low);
}

type Digests = Awaited<ReturnType<typeof digestOf>>;

function differencesOf(source: Digests, target: Digests): readonly Difference[] {
  const kinds = [
    { of: "users", one: source.users, other: target.users },
    { of: "log entries", one: source.entries, other: target.entries },
  ] as const;
  return kinds
    .filter(({ one, other }) => one.count !== other.count || one.sum !== other.sum)
    .map(({ of, one, other }) => ({ of, inSource: one.count, inTarget: other.count }));
}

/** `undefined` for one that something else has left. */
function markIn(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  try {
    const mark: unknown = JSON.parse(text);
    return isMark(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

function isMark(mark: unknown): mark is Mark {
  if (typeof mark !== "object" || mark === null) return false;
  const { source, users, entries, userId, entryId, lastEntryId, state } = mark as Partial<Mark>;
  return (
    [source, userId].every((one) => typeof one === "string") &&
    [users, entries, entryId, lastEntryId].every((one) => Number.isSafeInteger(one)) &&
    ["copying", "different", "finished"].includes(state ?? "")
  );
}
