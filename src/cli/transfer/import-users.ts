import { toLogEntry } from "../../audit/event-log.ts";
import { attributeToOperator, createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { Delivery, NewLogEntry, UserId } from "../../db/records.ts";
import {
  type ColumnValue,
  listColumns,
  type Row,
  type TableName,
  tables,
  toRowValues,
} from "../../db/tables.ts";
import type { Rows, RowWriter } from "../../db/transfer-store.ts";
import { getStep } from "../../features/codes/totp.ts";
import { nextSecond } from "../../lib/clock.ts";
import { Fault } from "../../lib/fault.ts";
import { isUsableUsername, nameKeyOf } from "../../lib/names.ts";
import { findAppFields, type ImportedApp, parseApp } from "./app-lines.ts";
import {
  type ImportedUser,
  type ImportFields,
  normalizeFieldName,
  parseRecord,
} from "./import-record.ts";
import { exportedTables } from "./transfer.ts";

/** Contains a line of the file: its fields, or the reason why it cannot be parsed. */
export interface ImportLine {
  readonly line: number;
  readonly fields: ImportFields | string;
}

export interface ImportServices {
  /**
   * Returns the same lines each time: once to check all lines, and once to write them. The rows of
   * a large file are therefore never in memory together.
   */
  readonly readLines: (purpose: "check" | "write") => Iterable<ImportLine>;
  /** Contains the store, if it already exists. */
  readonly existing: RowWriter | undefined;
  /** Opens the store, and creates it if necessary. */
  readonly openTarget: () => Promise<RowWriter>;
  readonly clock: { now(): number };
  readonly refuse: (line: number, reason: string) => void;
  /** Warns about an imported user whose username no other way of adding users would accept. */
  readonly warn: (line: number, reason: string) => void;
  /** Creates what is told about entries of the audit log, to be stored with them. */
  readonly createDeliveries?: (entries: readonly NewLogEntry[]) => readonly Delivery[];
  /** Reports the number of users so far and the total number, after each transaction. */
  readonly onProgress?: (users: number, all: number) => void;
}

export interface ImportChoices {
  readonly badLines: "refuse-all" | "skip";
  /** `dry-run` changes nothing. */
  readonly how: "import" | "dry-run";
  /** API keys are optional, because they may have been revoked since the export. */
  readonly keys: "import" | "leave-out";
}

export interface ImportOutcome {
  /**
   * `stopped` means that another process took a username or an ID after the first users were
   * written.
   */
  readonly kind: "imported" | "would-import" | "refused" | "nothing" | "stopped";
  readonly refused: number;
  readonly users: number;
  readonly apps: number;
  /** Counts the API keys that were left out. */
  readonly keysLeftOut: number;
}

/** Describes a user that can be imported, without the user's rows. */
interface Accepted {
  readonly id: UserId;
  readonly username: string;
  readonly line: number;
  /** The user is imported with this verified address. It becomes unverified if another has it. */
  verifiedEmail?: string | undefined;
}

/** Contains the accepted users by their usernames. */
type Plan = Map<string, Accepted>;

/** Contains the lines of the accepted apps by their IDs. */
type AppPlan = Map<string, number>;

/**
 * Checks all lines and reports each refused line with its reason. Then it writes users in
 * transactions of at most `BATCH_USERS`. Other processes can write between two transactions.
 */
export async function importUsers(
  services: ImportServices,
  choices: ImportChoices,
): Promise<ImportOutcome> {
  let refused = 0;
  const counting: ImportServices = {
    ...services,
    refuse(line, reason) {
      refused += 1;
      services.refuse(line, reason);
    },
  };
  const { plan, apps: appPlan, keys } = planImport(counting);
  const keysLeftOut = choices.keys === "import" ? 0 : keys;
  const createOutcome = (
    kind: ImportOutcome["kind"],
    users = plan.size,
    apps = appPlan.size,
  ): ImportOutcome => ({ kind, refused, users, apps, keysLeftOut });

  if (counting.existing !== undefined) {
    await removeTaken(counting.existing, plan, counting.refuse);
    await removeTakenApps(counting.existing, appPlan, counting.refuse);
  }
  await warnAboutNames(counting.existing, plan, counting.warn);
  await keepOneVerified(counting.existing, plan, counting.warn);
  const planned = plan.size + appPlan.size;
  if (planned + refused === 0) return createOutcome("nothing");
  if (planned === 0 || (refused > 0 && choices.badLines === "refuse-all"))
    return createOutcome("refused");
  if (choices.how === "dry-run") return createOutcome("would-import");

  const target = await counting.openTarget();
  const { users, isComplete } = await writeUsers(target, plan, counting, choices);
  const written = isComplete
    ? await writeApps(target, appPlan, counting, choices)
    : { apps: 0, isComplete: false };
  if (written.isComplete && users + written.apps > 0)
    return createOutcome("imported", users, written.apps);
  const kind = users + written.apps === 0 ? "refused" : "stopped";
  return createOutcome(kind, users, written.apps);
}

/**
 * Lists tables that are not imported. Their rows may have ended since the export, and depend on the
 * sessions, all of which end.
 */
const ENDED: readonly TableName[] = ["sessions", "handoffs", "devices"];

/** Returns the app of a line, a reason why it has none, or `undefined` for the line of a user. */
function parseAppLine(fields: ImportLine["fields"]): ImportedApp | string | undefined {
  const app = typeof fields === "string" ? undefined : findAppFields(fields);
  return app && parseApp(app);
}

/**
 * Collects the users and apps of the lines that can be parsed and repeat no other line. Also counts
 * the API keys of the users.
 */
function planImport({ readLines, refuse, warn }: ImportServices): {
  plan: Plan;
  apps: AppPlan;
  keys: number;
} {
  const plan: Plan = new Map();
  const apps: AppPlan = new Map();
  const lineOfId = new Map<string, number>();
  let keys = 0;
  for (const { line, fields } of readLines("check")) {
    const app = parseAppLine(fields);
    if (app !== undefined) {
      const earlier = typeof app === "object" ? apps.get(app.id) : undefined;
      if (typeof app === "string") refuse(line, app);
      else if (earlier !== undefined) refuse(line, `line ${earlier} has the same app`);
      else {
        apps.set(copyText(app.id), line);
        if (app.lacksSecret) warn(line, "the app has no secret: make one with latchkey app secret");
      }
      continue;
    }
    const user = typeof fields === "string" ? fields : parseRecord(fields);
    if (typeof user === "string") {
      refuse(line, user);
      continue;
    }
    const sameName = plan.get(user.username);
    const sameId = lineOfId.get(user.id);
    if (sameName !== undefined) refuse(line, `line ${sameName.line} has the same username`);
    else if (sameId !== undefined) refuse(line, `line ${sameId} has the same id`);
    else {
      const username = copyText(user.username);
      const id = copyText(user.id) as UserId;
      const { verifiedEmail } = user;
      plan.set(username, {
        ...{ id, username, line },
        ...(verifiedEmail !== undefined && { verifiedEmail: copyText(verifiedEmail) }),
      });
      for (const note of user.notes) warn(line, note);
      if (user.isKnown) lineOfId.set(id, line);
      keys += user.rows.find(({ table }) => table === "keys")?.rows.length ?? 0;
    }
  }
  return { plan, apps, keys };
}

/**
 * Copies a text, because a part of a text can keep the whole text (a megabyte of a file) in memory.
 */
const copyText = (text: string): string => Buffer.from(text).toString();

/** Limits the users in one database query. */
const PAGE_SIZE = 1_000;

function* splitPages(accepted: Iterable<Accepted>): Iterable<readonly Accepted[]> {
  let page: Accepted[] = [];
  for (const user of accepted) {
    page.push(user);
    if (page.length < PAGE_SIZE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function removeTaken(
  store: RowWriter,
  plan: Plan,
  refuse: ImportServices["refuse"],
): Promise<void> {
  for (const page of splitPages([...plan.values()])) {
    const users = new Map(page.map((user) => [user.id, user]));
    for (const { id, taken } of await store.findTakenUsers(page)) {
      const user = users.get(id);
      if (user === undefined) continue;
      refuse(user.line, `an account with this ${taken} already exists`);
      plan.delete(user.username);
    }
  }
}

async function removeTakenApps(
  store: RowWriter,
  plan: AppPlan,
  refuse: ImportServices["refuse"],
): Promise<void> {
  const ids = [...plan.keys()];
  for (let at = 0; at < ids.length; at += PAGE_SIZE) {
    for (const id of await store.findTakenApps(ids.slice(at, at + PAGE_SIZE))) {
      refuse(plan.get(id) ?? 0, TAKEN_APP);
      plan.delete(id);
    }
  }
}

const TAKEN_APP = "an app with this id already exists";

const UNUSUAL =
  "the username has invisible characters, spaces at its ends, letters of several scripts or more than 255 bytes";
const USED =
  "a user has or had this username in another spelling: apps could take one for the other";

/**
 * Warns about unusual names instead of refusing them. Other systems have names that differ only in
 * case, and people must not lose their accounts.
 */
async function warnAboutNames(
  store: RowWriter | undefined,
  plan: Plan,
  warn: ImportServices["warn"],
): Promise<void> {
  const lines = new Map<string, number>();
  for (const page of splitPages(plan.values())) {
    const used = new Set(await store?.findUsedNames(page));
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

/**
 * Makes verified addresses unverified that another account or an earlier line has verified. An
 * account that gets the address during the import keeps it, and the profile is left out.
 */
async function keepOneVerified(
  store: RowWriter | undefined,
  plan: Plan,
  warn: ImportServices["warn"],
): Promise<void> {
  const lines = new Map<string, number>();
  for (const page of splitPages(plan.values())) {
    const emails = page.flatMap(({ verifiedEmail }) => verifiedEmail ?? []);
    const taken = new Set(await store?.findVerifiedEmails(emails));
    for (const user of page) {
      const { verifiedEmail: email, line } = user;
      if (email === undefined) continue;
      const earlier = lines.get(email);
      if (earlier === undefined) lines.set(email, line);
      if (earlier === undefined && !taken.has(email)) continue;
      user.verifiedEmail = undefined;
      const other = earlier === undefined ? "another account" : `line ${earlier}`;
      warn(line, `${other} has the same e-mail address, so it is not verified here`);
    }
  }
}

/**
 * Limits a transaction to less than a tenth of a second in SQLite, in which no other process can
 * write. With larger batches, V8 keeps the data of written users for long: 2,000 users cost another
 * 40 MB of memory.
 */
const BATCH_USERS = 1_000;
const BATCH_ROWS = 10_000;

/** Writes the users of the plan, and reports lines that another process has made impossible. */
async function writeUsers(
  store: RowWriter,
  plan: Plan,
  services: ImportServices,
  choices: ImportChoices,
): Promise<{ users: number; isComplete: boolean }> {
  const all = plan.size;
  let users = 0;
  for (const batch of readBatches(plan, services.readLines("write"))) {
    const written = await writeBatch(store, batch, services, choices);
    if (written === "refused") return { users, isComplete: false };
    users += written;
    services.onProgress?.(users, all);
  }
  return { users, isComplete: true };
}

/** Writes the apps of the plan in one transaction, and reports those that exist meanwhile. */
async function writeApps(
  store: RowWriter,
  plan: AppPlan,
  services: ImportServices,
  { badLines }: ImportChoices,
): Promise<{ apps: number; isComplete: boolean }> {
  while (plan.size > 0) {
    const before = plan.size;
    if ((await store.importRows(createAppRows(plan, services))) === "imported")
      return { apps: before, isComplete: true };
    await removeTakenApps(store, plan, services.refuse);
    if (plan.size === before) throw new Fault("rows_refused", "the database refuses an app");
    if (badLines === "refuse-all") return { apps: 0, isComplete: false };
  }
  return { apps: 0, isComplete: true };
}

/** Creates the rows of one app at a time, since all icons may not fit into the memory. */
function* createAppRows(
  plan: AppPlan,
  services: Pick<ImportServices, "readLines" | "clock" | "createDeliveries">,
): Iterable<Rows> {
  const { readLines } = services;
  for (const { line, fields } of readLines("write")) {
    const app = parseAppLine(fields);
    if (typeof app === "object" && plan.get(app.id) === line) yield* app.rows;
  }
  const events = [...plan.keys()].map((name) => createAuditEvent("app_add", { name }));
  yield* createLogRows(events, services);
}

/**
 * Creates the entries of the audit log with what is told about them. The entries come last, because
 * in PostgreSQL other writers of log entries wait from then on.
 */
function* createLogRows(
  events: readonly NewAuditEvent[],
  { clock, createDeliveries }: Pick<ImportServices, "clock" | "createDeliveries">,
): Iterable<Rows> {
  const entries = events.map((event) => toLogEntry(attributeToOperator(event), clock));
  const deliveries = createDeliveries?.(entries) ?? [];
  if (deliveries.length > 0)
    yield { table: "outbox", rows: deliveries.map((one) => toRowValues(tables.outbox, one)) };
  yield { table: "log", rows: entries.map((entry) => toRowValues(tables.log, entry)) };
}

/** Resolves to the number of users that were written. */
async function writeBatch(
  store: RowWriter,
  batch: readonly PlannedUser[],
  services: ImportServices,
  { badLines, keys }: ImportChoices,
): Promise<number | "refused"> {
  for (let left = batch; left.length > 0; ) {
    if ((await store.importRows(createRows(left, services, keys))) === "imported")
      return left.length;
    // The names were checked before, but another process can add users at any time.
    const free: Plan = new Map(left.map((user) => [user.username, user]));
    await removeTaken(store, free, services.refuse);
    // The cause can be an index that treats "Ann" and "ann" as equal. Trying again would never end.
    if (free.size === left.length)
      throw new Fault("rows_refused", "the database refuses a user by a rule of its own");
    if (badLines === "refuse-all") return "refused";
    left = left.filter(({ username }) => free.has(username));
  }
  return 0;
}

/** `verifiedEmail` is that of the plan. */
type PlannedUser = ImportedUser & Pick<Accepted, "line">;

/** Reads the users of the plan with their rows, in the order of their lines. */
function* readBatches(plan: Plan, lines: Iterable<ImportLine>): Iterable<readonly PlannedUser[]> {
  let batch: PlannedUser[] = [];
  let rows = 0;
  for (const { line, fields } of lines) {
    const user = typeof fields === "string" ? fields : parseRecord(removeEndedFields(fields));
    if (typeof user === "string") continue;
    const planned = plan.get(user.username);
    if (planned?.line !== line) continue;
    batch.push({ ...user, line, verifiedEmail: planned.verifiedEmail });
    rows += user.rows.reduce((count, entry) => count + entry.rows.length, 0);
    if (batch.length < BATCH_USERS && rows < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    rows = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the fields of a checked line without the tables that are not imported. */
const removeEndedFields = (fields: ImportFields): ImportFields =>
  new Map(
    [...fields].filter(([name]) => !ENDED.some((table) => normalizeFieldName(table) === name)),
  );

/** Creates all rows. */
function* createRows(
  users: readonly ImportedUser[],
  services: Pick<ImportServices, "clock" | "createDeliveries">,
  keys: ImportChoices["keys"],
): Iterable<Rows> {
  const imported = exportedTables.filter((table) => table !== "keys" || keys === "import");
  const all = users.flatMap((user) =>
    user.rows.map((rows) => expireRows(user, rows, services.clock)),
  );
  for (const table of ["users", ...imported] as const) {
    yield { table, rows: all.flatMap((entry) => (entry.table === table ? entry.rows : [])) };
  }
  yield* createLogRows([createAuditEvent("user_import", { count: users.length })], services);
}

/**
 * Changes the rows of a line for what may have ended since the export. Every session ends, even a
 * session that the line does not contain. One-time codes up to now are used up, and begun
 * enrolments are dropped. An address that another account has verified is not verified.
 */
function expireRows(
  { isKnown, verifiedEmail }: ImportedUser,
  { table, rows }: Rows,
  clock: ImportServices["clock"],
): Rows {
  if (table === "users" && isKnown)
    return {
      table,
      rows: rows.map((row) => raiseField(row, table, "sessionsFrom", nextSecond(clock))),
    };
  if (table === "profiles") {
    const verified = findColumn(table, "verifiedEmail");
    return { table, rows: rows.map((row) => row.with(verified, verifiedEmail ?? null)) };
  }
  if (table !== "codes") return { table, rows };
  const [begun, secret] = [findColumn(table, "begun"), findColumn(table, "secret")];
  // A code of the next step is accepted too.
  const used = getStep(clock.now()) + 1;
  const turnedOn = rows.filter((row) => row[secret] !== null);
  return {
    table,
    rows: turnedOn.map((row) => raiseField(row.with(begun, null), table, "lastStep", used)),
  };
}

const raiseField = (row: Row, table: TableName, field: string, least: number): Row => {
  const at = findColumn(table, field);
  const value: ColumnValue = row[at] ?? null;
  return row.with(at, Math.max(Number(value ?? 0), least));
};

const findColumn = (table: TableName, field: string): number =>
  listColumns(tables[table]).findIndex(([name]) => name === field);
