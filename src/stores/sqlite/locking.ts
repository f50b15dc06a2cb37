import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, STORE_BUSY, Unavailable } from "../../core/base/fault.ts";
import { type ColumnValue, columnsOf, tables } from "../../core/tables.ts";
import type { Rows } from "../../core/transfer/transfer-store.ts";
import { type Ask, columnNames, type InOneStep, type Steps } from "../statements/sql.ts";

/** SQLite's primary result codes for a lock that another connection holds. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** SQLite's primary result codes for a file that it cannot write or open. */
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
/** SQLite's primary result codes for a disk that fails or is full. */
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const PRIMARY_CODE = 0xff;

const GIVE_UP_AFTER_MS = 5_000;
const MAX_PAUSE_MS = 50;

/**
 * Retries while another connection has locked the database. SQLite's own busy timeout would block
 * the event loop, and with it every guard.
 */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > giveUpAt) {
        throw new Unavailable(STORE_BUSY, "the database is locked by another process", 2, {
          cause: error,
        });
      }
    }
    // Randomised, so that processes waiting for the same lock do not retry in step.
    await sleep(pause * (0.5 + Math.random()));
  }
}

/**
 * Keeps the few statements of the store: preparing one takes longer than running it. A statement
 * with a parameter as its `LIMIT` is prepared again on every use.
 */
export function createAsk(database: DatabaseSync): Ask {
  const statements = new Map<string, StatementSync>();
  return (text, values = []) =>
    retryWhileBusy(() => {
      const statement = statements.get(text) ?? database.prepare(inSqlite(text));
      statements.set(text, statement);
      return statement.all(...values.map(bound));
    });
}

/** The name of a table. That of the log has always been another one. */
export const tableName = (table: string): string => (table === "log" ? "log_entries" : table);

/** The SQL that both databases share, as SQLite takes it. */
const inSqlite = (text: string): string =>
  text
    .replace(/IN \{\$(\d+)\}/g, "IN (SELECT value FROM json_each(?$1))")
    .replace(/\{(\w+)\}/g, (_, table) => tableName(table))
    .replace(/\$(\d+)/g, "?$1");

const bound = (value: ColumnValue | readonly ColumnValue[]): ColumnValue =>
  Array.isArray(value) ? JSON.stringify(value) : (value as ColumnValue);

/** Takes the write lock at the start, so that no other connection changes what `work` reads. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): Promise<T> {
  return retryWhileBusy(() => {
    database.exec("BEGIN IMMEDIATE");
    try {
      const outcome = work();
      database.exec("COMMIT");
      return outcome;
    } catch (error) {
      // SQLite has already rolled back after some failures, such as a full disk.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  });
}

/**
 * The same for work that may wait between its statements. Until it has ended, nothing else may use
 * the connection.
 */
export async function inLongTransaction(
  database: DatabaseSync,
  work: () => Promise<void>,
): Promise<void> {
  await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"));
  try {
    await work();
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

export const inOneStepOn =
  (database: DatabaseSync): InOneStep =>
  (work) =>
    inTransaction(database, () => takeSteps(database, work()));

export function takeSteps<T>(database: DatabaseSync, steps: Steps<T>): T {
  for (let step = steps.next(); ; ) {
    if (step.done === true) return step.value;
    const [text, values] = step.value;
    step = steps.next(database.prepare(inSqlite(text)).all(...values));
  }
}

/** Runs in a transaction. A row of a user whose key is known is left out, but not a user. */
export function insertRows(database: DatabaseSync, { table, rows }: Rows): void {
  const values = columnsOf(tables[table]).map(() => "?");
  const known = table === "users" || table === "log" ? "" : "ON CONFLICT DO NOTHING";
  const insert = database.prepare(
    inSqlite(`INSERT INTO {${table}} (${columnNames(tables[table])})
      VALUES (${values.join(", ")}) ${known}`),
  );
  // The database counts the entries of its log.
  for (const row of rows) insert.run(...(table === "log" ? row.with(0, null) : row));
}

/** Whether a username or an ID is already in use. */
export const isTaken = (error: unknown): boolean =>
  messageOf(error).startsWith("UNIQUE constraint failed");

export function isBusy(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Whether SQLite could not open or write the file, for any reason. */
export function isFileError(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_READONLY || code === SQLITE_CANTOPEN;
}

/** Whether the disk failed or is full. SQLite does not always tell which. */
export function isDiskError(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return code === SQLITE_IOERR || code === SQLITE_FULL;
}

function primaryCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & PRIMARY_CODE;
}
