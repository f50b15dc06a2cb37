import { AnyFault } from "../base/fault.ts";
import { isUsableUsername, nameKeyOf } from "../base/names.ts";
import { stepAt } from "../codes/totp.ts";
import { toEntry } from "../log/event-log.ts";
import { byOperator, eventOf } from "../log/events.ts";
import { nextSecond } from "../sessions/session-token.ts";
import { type ColumnValue, columnsOf, type Row, rowOf, type TableName, tables } from "../tables.ts";
import { type ImportedUser, type ImportFields, parseRecord } from "./import-record.ts";
import { ownedTables } from "./pages.ts";
import type { Rows, RowWriter } from "./transfer-store.ts";

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
  /** Called for a user that is imported although no other way would take the username. */
  readonly warn: (line: number, reason: string) => void;
  /** Called after each page of users, with the number so far and that of all. */
  readonly passed?: (users: number, all: number) => void;
}

export interface ImportChoices {
  readonly badLines: "refuse-all" | "skip";
  /** `dry-run` changes nothing. */
  readonly how: "import" | "dry-run";
  /** They may have been revoked since the export. */
  readonly keys: "import" | "leave-out";
}

export interface ImportOutcome {
  readonly kind: "imported" | "would-import" | "refused" | "nothing";
  readonly refused: number;
  readonly users: number;
  /** How many keys were left out. */
  readonly keysLeftOut: number;
}

/** A user to import, and its line. */
interface Staged extends ImportedUser {
  readonly line: number;
}

/** Imports all lines in one step, and reports each refused line with its reason. */
export async function importUsers(
  given: ImportPorts,
  { badLines, how, keys }: ImportChoices,
): Promise<ImportOutcome> {
  const { existing, target } = given;
  let refused = 0;
  const refuse: ImportPorts["refuse"] = (line, reason) => {
    refused += 1;
    given.refuse(line, reason);
  };
  const staged = stagedLines(given.lines, refuse);
  const outcome = (kind: ImportOutcome["kind"]): ImportOutcome => ({
    kind,
    refused,
    users: staged.size,
    keysLeftOut: keys === "import" ? 0 : keysIn(staged),
  });

  if (existing !== undefined) await removeTaken(existing, staged, refuse);
  await warnOfNames(existing, staged, given.warn);
  for (;;) {
    if (staged.size + refused === 0) return outcome("nothing");
    if (staged.size === 0 || (refused > 0 && badLines === "refuse-all")) {
      return outcome("refused");
    }
    if (how === "dry-run") return outcome("would-import");
    const store = await target();
    // Checked before as well, but another process can add users at any time.
    if ((await store.importRows(rowsOf(staged, given, keys))) === "imported")
      return outcome("imported");
    const { size } = staged;
    await removeTaken(store, staged, refuse);
    // Such as by an index that takes "Ann" and "ann" for one. Trying again would never end.
    if (staged.size === size)
      throw new AnyFault("rows_refused", "the database refuses a user by a rule of its own");
  }
}

/** What may have ended since the export, and depends on the sessions, all of which end. */
const ENDED: readonly TableName[] = ["sessions", "handoffs", "devices"];

/** The users by their IDs, without what may have ended. */
function stagedLines(
  lines: Iterable<ImportLine>,
  refuse: ImportPorts["refuse"],
): Map<string, Staged> {
  const staged = new Map<string, Staged>();
  const lineOfName = new Map<string, number>();
  for (const { line, fields } of lines) {
    const user = typeof fields === "string" ? fields : parseRecord(fields);
    if (typeof user === "string") {
      refuse(line, user);
      continue;
    }
    const sameName = lineOfName.get(user.username);
    const sameId = staged.get(user.id);
    if (sameName !== undefined) refuse(line, `line ${sameName} has the same username`);
    else if (sameId !== undefined) refuse(line, `line ${sameId.line} has the same id`);
    else {
      lineOfName.set(user.username, line);
      const rows = user.rows.filter(({ table }) => !ENDED.includes(table));
      staged.set(user.id, { ...user, rows, line });
    }
  }
  return staged;
}

const PAGE_SIZE = 1_000;

function* stagedPages(staged: ReadonlyMap<string, Staged>): Iterable<readonly Staged[]> {
  const all = [...staged.values()];
  for (let done = 0; done < all.length; done += PAGE_SIZE) yield all.slice(done, done + PAGE_SIZE);
}

async function removeTaken(
  store: RowWriter,
  staged: Map<string, Staged>,
  refuse: ImportPorts["refuse"],
): Promise<void> {
  for (const page of stagedPages(staged)) {
    for (const { id, taken } of await store.findTaken(page)) {
      refuse(staged.get(id)?.line ?? 0, `an account with this ${taken} already exists`);
      staged.delete(id);
    }
  }
}

const UNUSUAL =
  "the username has invisible characters, spaces at its ends, letters of several scripts or more than 255 bytes";
const USED =
  "a user has or had this username in another spelling: apps could take one for the other";

/** Other systems have names that differ only in case, and people must not lose their accounts. */
async function warnOfNames(
  store: RowWriter | undefined,
  staged: ReadonlyMap<string, Staged>,
  warn: ImportPorts["warn"],
): Promise<void> {
  const lines = new Map<string, number>();
  for (const page of stagedPages(staged)) {
    const used = new Set(await store?.findUsed(page));
    for (const { id, username, line } of page) {
      const key = nameKeyOf(username);
      const earlier = lines.get(key);
      lines.set(key, earlier ?? line);
      if (!isUsableUsername(username)) warn(line, UNUSUAL);
      if (earlier !== undefined)
        warn(line, `line ${earlier} has a username that is too similar to this one`);
      else if (used.has(id)) warn(line, USED);
    }
  }
}

const keysIn = (staged: ReadonlyMap<string, Staged>): number =>
  [...staged.values()]
    .flatMap(({ rows }) => rows)
    .reduce((count, { table, rows }) => count + (table === "keys" ? rows.length : 0), 0);

/** The log entry last: in PostgreSQL, other writers of log entries wait from then on. */
function* rowsOf(
  staged: ReadonlyMap<string, Staged>,
  { clock, passed }: ImportPorts,
  keys: ImportChoices["keys"],
): Iterable<Rows> {
  const imported = ownedTables.filter(
    (table) => !ENDED.includes(table) && (table !== "keys" || keys === "import"),
  );
  let done = 0;
  for (const users of stagedPages(staged)) {
    const all = users.flatMap((user) => user.rows.map((rows) => withoutRevival(user, rows, clock)));
    for (const table of ["users", ...imported] as const) {
      yield { table, rows: all.flatMap((one) => (one.table === table ? one.rows : [])) };
    }
    done += users.length;
    passed?.(done, staged.size);
  }
  const event = byOperator(eventOf("user_import", { count: staged.size }));
  yield { table: "log", rows: [rowOf(tables.log, toEntry(event, clock))] };
}

/**
 * The rows of a line without what may have ended since its export: every session ends, also one that
 * the line does not have, one-time codes up to now are used up, and begun enrolments are dropped.
 */
function withoutRevival(
  { isKnown }: ImportedUser,
  { table, rows }: Rows,
  clock: ImportPorts["clock"],
): Rows {
  if (table === "users" && isKnown)
    return {
      table,
      rows: rows.map((row) => raised(row, table, "sessionsFrom", nextSecond(clock))),
    };
  if (table !== "codes") return { table, rows };
  const [begun, secret] = [placeOf(table, "begun"), placeOf(table, "secret")];
  // A code of the next step is accepted, too.
  const used = stepAt(clock.now()) + 1;
  const turnedOn = rows.filter((row) => row[secret] !== null);
  return {
    table,
    rows: turnedOn.map((row) => raised(row.with(begun, null), table, "lastStep", used)),
  };
}

const raised = (row: Row, table: TableName, field: string, least: number): Row => {
  const at = placeOf(table, field);
  const value: ColumnValue = row[at] ?? null;
  return row.with(at, Math.max(Number(value ?? 0), least));
};

const placeOf = (table: TableName, field: string): number =>
  columnsOf(tables[table]).findIndex(([name]) => name === field);
