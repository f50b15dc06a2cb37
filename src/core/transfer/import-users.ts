import { toEntry } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import { tables, valuesOf } from "../tables.ts";
import { type ImportedUser, type ImportFields, parseRecord } from "./import-record.ts";
import { ownedTables } from "./pages.ts";
import type { Progress, Rows, RowWriter } from "./transfer-store.ts";

/** A line of the file: its fields, or why it cannot be parsed. */
export interface ImportLine {
  readonly line: number;
  readonly fields: ImportFields | string;
}

export interface ImportPorts {
  readonly lines: Iterable<ImportLine>;
  /** The store, if it already exists. */
  readonly existing: RowWriter | undefined;
  /** Opens the store, and creates it if necessary. */
  readonly target: () => Promise<RowWriter>;
  readonly clock: { now(): number };
  readonly refuse: (line: number, reason: string) => void;
  readonly progress: (progress: Progress) => void;
}

export interface ImportChoices {
  readonly badLines: "refuse-all" | "skip";
  /** `dry-run` changes nothing. */
  readonly how: "import" | "dry-run";
}

export interface ImportOutcome {
  readonly kind: "imported" | "would-import" | "refused" | "nothing";
  readonly refused: number;
  readonly users: number;
}

/** A user to import, and its line. */
interface Staged extends ImportedUser {
  readonly line: number;
}

/** Imports all lines in one step, and reports each refused line with its reason. */
export async function importUsers(
  ports: ImportPorts,
  { badLines, how }: ImportChoices,
): Promise<ImportOutcome> {
  const { existing, target } = ports;
  const { staged, ...read } = stagedLines(ports);
  let { refused } = read;
  const outcome = (kind: ImportOutcome["kind"]): ImportOutcome => ({
    kind,
    refused,
    users: staged.size,
  });

  if (existing !== undefined) refused += await removeTaken(existing, staged, ports);
  for (;;) {
    if (staged.size + refused === 0) return outcome("nothing");
    if (staged.size === 0 || (refused > 0 && badLines === "refuse-all")) {
      return outcome("refused");
    }
    if (how === "dry-run") return outcome("would-import");
    const store = await target();
    // Checked before as well, but another process can add users at any time.
    if ((await store.importRows(rowsOf(staged, ports))) === "imported") return outcome("imported");
    refused += await removeTaken(store, staged, ports);
  }
}

/** The users by their IDs, and how many lines were refused. */
function stagedLines({ lines, refuse }: ImportPorts) {
  const staged = new Map<string, Staged>();
  const lineOfName = new Map<string, number>();
  let refused = 0;

  /** Returns the reason if the line is refused. */
  function stage({ line, fields }: ImportLine): string | undefined {
    const user = typeof fields === "string" ? fields : parseRecord(fields);
    if (typeof user === "string") return user;
    const sameName = lineOfName.get(user.username);
    if (sameName !== undefined) return `line ${sameName} has the same username`;
    const sameId = staged.get(user.id);
    if (sameId !== undefined) return `line ${sameId.line} has the same id`;
    lineOfName.set(user.username, line);
    staged.set(user.id, { ...user, line });
    return undefined;
  }

  for (const line of lines) {
    const reason = stage(line);
    if (reason === undefined) continue;
    refused += 1;
    refuse(line.line, reason);
  }
  return { staged, refused };
}

const PAGE_SIZE = 1_000;

/** Pages of users, each reported before it is processed. */
function* pagesOf(
  staged: ReadonlyMap<string, Staged>,
  step: Progress["step"],
  { progress }: ImportPorts,
): Iterable<readonly Staged[]> {
  const all = [...staged.values()];
  for (let done = 0; done < all.length; done += PAGE_SIZE) {
    progress({ step, users: { done, total: all.length } });
    yield all.slice(done, done + PAGE_SIZE);
  }
}

async function removeTaken(
  store: RowWriter,
  staged: Map<string, Staged>,
  ports: ImportPorts,
): Promise<number> {
  let refused = 0;
  for (const page of pagesOf(staged, "checking", ports)) {
    for (const { id, taken } of await store.findTaken(page)) {
      ports.refuse(staged.get(id)?.line ?? 0, `an account with this ${taken} already exists`);
      staged.delete(id);
      refused += 1;
    }
  }
  return refused;
}

/** The log entry last: in PostgreSQL, other writers of log entries wait from then on. */
function* rowsOf(staged: ReadonlyMap<string, Staged>, ports: ImportPorts): Iterable<Rows> {
  for (const users of pagesOf(staged, "importing", ports)) {
    const all = users.flatMap(({ rows }) => rows);
    for (const table of ["users", ...ownedTables] as const) {
      yield { table, rows: all.flatMap((one) => (one.table === table ? one.rows : [])) };
    }
  }
  const event = eventOf("user_import", { count: staged.size });
  yield { table: "log", rows: [valuesOf(tables.log, toEntry(event, ports.clock))] };
}
