import { setImmediate as turn } from "node:timers/promises";
import { toEntry } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import { tables, valuesOf } from "../tables.ts";
import { type ImportedUser, type ImportFields, parseRecord } from "./import-record.ts";
import { ownedTables } from "./pages.ts";
import type { Portion, Rows, RowWriter } from "./transfer-store.ts";

/** A line of the file: its fields, or why it cannot be parsed. */
export type ImportLine = { readonly line: number } & (
  | { readonly fields: ImportFields }
  | { readonly problem: string }
);

/** Holds the lines until all are read, outside the memory of the process. */
export interface Staging {
  /** Returns the earlier line with the same username or ID, if any. */
  addUser(line: number, user: ImportedUser): EarlierLine | undefined;
  count(): number;
  users(): Iterable<readonly ImportedUser[]>;
  /** Removes the user and returns its line. */
  removeUser(id: string): number;
}

export interface EarlierLine {
  readonly line: number;
  readonly same: "username" | "id";
}

export interface ImportPorts {
  readonly lines: AsyncIterable<readonly ImportLine[]>;
  readonly staging: Staging;
  /** The store, if it already exists. */
  readonly existing: RowWriter | undefined;
  /** Opens the store, and creates it if necessary. */
  readonly target: () => Promise<RowWriter>;
  readonly clock: { now(): number };
  readonly refuse: (line: number, reason: string) => void;
  readonly progress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly step: "checking" | "importing";
  readonly users: Portion;
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

/** Imports all lines in one step, and reports each refused line with its reason. */
export async function importUsers(
  ports: ImportPorts,
  { badLines, how }: ImportChoices,
): Promise<ImportOutcome> {
  const { staging, existing, target } = ports;
  let refused = await stageLines(ports);
  const outcome = (kind: ImportOutcome["kind"]): ImportOutcome => ({
    kind,
    refused,
    users: staging.count(),
  });

  if (existing !== undefined) refused += await removeTaken(existing, ports);
  for (;;) {
    const users = staging.count();
    if (users + refused === 0) return outcome("nothing");
    if (users === 0 || (refused > 0 && badLines === "refuse-all")) {
      return outcome("refused");
    }
    if (how === "dry-run") return outcome("would-import");
    const store = await target();
    // Checked before as well, but another process can add users at any time.
    if ((await store.importRows(rowsOf(ports))) === "imported") return outcome("imported");
    refused += await removeTaken(store, ports);
  }
}

async function stageLines({ lines, staging, existing, refuse }: ImportPorts): Promise<number> {
  let refused = 0;
  for await (const page of lines) {
    for (const line of page) {
      const reason = stage(line, staging, existing);
      if (reason === undefined) continue;
      refused += 1;
      refuse(line.line, reason);
    }
  }
  return refused;
}

/** Returns the reason if the line is refused. */
function stage(
  line: ImportLine,
  staging: Staging,
  store: Pick<RowWriter, "problemWith"> | undefined,
): string | undefined {
  if ("problem" in line) return line.problem;
  const record = parseRecord(line.fields);
  if (record.kind === "refused") return record.reason;
  if (record.user.rows.some((rows) => store?.problemWith(rows) !== undefined)) {
    return "the username or id is too long for the database";
  }
  const earlier = staging.addUser(line.line, record.user);
  return earlier && `line ${earlier.line} has the same ${earlier.same}`;
}

async function removeTaken(store: RowWriter, ports: ImportPorts): Promise<number> {
  const { staging, refuse, progress } = ports;
  const total = staging.count();
  let done = 0;
  let refused = 0;
  for (const page of staging.users()) {
    progress({ step: "checking", users: { done, total } });
    for (const { id, taken } of await store.findTaken(page)) {
      refuse(staging.removeUser(id), `an account with this ${taken} already exists`);
      refused += 1;
    }
    done += page.length;
    await turn();
  }
  return refused;
}

/** The log entry last: in PostgreSQL, other writers of log entries wait from then on. */
function* rowsOf({ staging, clock, progress }: ImportPorts): Iterable<Rows> {
  const total = staging.count();
  let done = 0;
  for (const users of staging.users()) {
    progress({ step: "importing", users: { done, total } });
    const all = users.flatMap(({ rows }) => rows);
    for (const table of ["users", ...ownedTables] as const) {
      yield { table, rows: all.flatMap((one) => (one.table === table ? one.rows : [])) };
    }
    done += users.length;
  }
  yield {
    table: "log",
    rows: [valuesOf(tables.log, toEntry(eventOf("user_import", { count: total }), clock))],
  };
}
