import type { NewLogEntry, UserId } from "../../core/records.ts";
import { CLOCK_MARGIN_SECONDS } from "../../core/sessions/session-token.ts";
import {
  type AnyTable,
  type Column,
  type ColumnValue,
  columnName,
  columnsOf,
  rowOf,
  type Table,
  type TableName,
  tables,
  textsFrom,
  timeOf,
} from "../../core/tables.ts";

/** A row as the database driver returns it. */
export type FoundRow = Readonly<Record<string, unknown>>;

/** The values of a statement's parameters, from `$1`. */
export type Parameters = readonly (ColumnValue | readonly ColumnValue[])[];

/**
 * Runs one statement and returns its rows. The text is SQL that both databases take after a small
 * translation: `{users}` is a table, `==` compares, and `IN {$1}` takes a list of texts.
 *
 * @param name PostgreSQL prepares the statement under this name, once per connection.
 */
export type Ask = (
  text: string,
  values?: Parameters,
  name?: string | undefined,
) => Promise<readonly FoundRow[]>;

/**
 * Statements of one transaction: each `yield` runs one and returns its rows. Not a function that
 * awaits, since SQLite runs them without letting another statement of the process in between.
 */
export type Steps<T> = Generator<
  readonly [text: string, values: readonly ColumnValue[]],
  T,
  readonly FoundRow[]
>;

export type InOneStep = <T>(work: () => Steps<T>) => Promise<T>;

/** What the statements that both databases share need of one. */
export interface StatementPorts {
  readonly ask: Ask;
  readonly inOneStep: InOneStep;
  /** The same, for what no page waits for. */
  readonly slowly: InOneStep;
  /** Runs the steps while no other process does so. */
  readonly alone: InOneStep;
  /** A statement that returns a row to only one of those who insert the first user. */
  readonly claimFirst: string;
  insertEntries(entries: readonly NewLogEntry[]): Promise<void>;
  /** Whether an error says that a username or an ID is already in use. */
  readonly isTaken: (error: unknown) => boolean;
  /** Called after the change of a user, for a database that does not report changes by itself. */
  readonly changed: (id: UserId | "all") => void;
}

/** The columns of a table, in the one order of all statements. */
export const columnNames = (table: AnyTable): string =>
  columnsOf(table)
    .map(([field]) => columnName(field))
    .join(", ");

/** The field of the key. */
export const keyOf = (table: AnyTable): string => Object.keys(table.columns)[0] ?? "";

/** Whether a column holds numbers. */
export const isNumber = (kind: Column["kind"]): boolean => kind === "integer" || kind === "time";

/**
 * Inserts a record whose values are the first parameters.
 *
 * @param condition Inserts it only then.
 */
export function insertInto(name: TableName, condition?: string): string {
  // Here, nothing else tells PostgreSQL their types.
  const parameters = columnsOf(tables[name])
    .map(([, { kind }], at) => (isNumber(kind) ? `CAST($${at + 1} AS bigint)` : `$${at + 1}`))
    .join(", ");
  const into = `INSERT INTO {${name}} (${columnNames(tables[name])})`;
  return condition === undefined
    ? `${into} VALUES (${parameters})`
    : `${into} SELECT ${parameters} WHERE ${condition}`;
}

/** How many expired rows each new one removes. */
const MAX_EXPIRED_REMOVED = 100;

/** The statements of one table. Each takes what follows the table's name in SQL. */
interface TableStatements<T> {
  any(rest: string, values?: Parameters, name?: string): Promise<boolean>;
  select(rest: string, values: Parameters, name?: string): Promise<readonly T[]>;
  first(rest: string, values: Parameters, name?: string): Promise<T | undefined>;
  /** Returns whether it was inserted. */
  insert(record: T, rest?: string, name?: string): Promise<boolean>;
  /** Returns whether there was such a row. */
  update(rest: string, values: Parameters): Promise<boolean>;
  /** Returns the removed records. */
  remove(rest: string, values: Parameters): Promise<readonly T[]>;
  /** Removes some of the rows that have expired by then, also for an instance whose clock is behind. */
  removeExpired(by: Date): Promise<void>;
}

export function statementsOn<T>(ask: Ask, name: TableName, table: Table<T>): TableStatements<T> {
  const columns = columnNames(table);
  const key = columnName(keyOf(table));
  const insertion = insertInto(name);
  const select: TableStatements<T>["select"] = async (rest, values, prepared) => {
    const rows = await ask(`SELECT ${columns} FROM {${name}} ${rest}`, values, prepared);
    return rows.map((row) => recordOf(table, row));
  };
  return {
    select,
    first: async (...asked) => (await select(...asked))[0],

    async any(rest, values = [], prepared = undefined) {
      const rows = await ask(`SELECT 1 AS yes FROM {${name}} ${rest} LIMIT 1`, values, prepared);
      return rows.length > 0;
    },

    async insert(record, rest = "", prepared = undefined) {
      const text = `${insertion} ${rest} RETURNING ${key}`;
      return (await ask(text, rowOf(table, record), prepared)).length > 0;
    },

    update: async (rest, values) =>
      (await ask(`UPDATE {${name}} ${rest} RETURNING ${key}`, values)).length > 0,

    async remove(rest, values) {
      const rows = await ask(`DELETE FROM {${name}} ${rest} RETURNING ${columns}`, values);
      return rows.map((row) => recordOf(table, row));
    },

    async removeExpired(by) {
      const text = `DELETE FROM {${name}} WHERE id IN
        (SELECT id FROM {${name}} WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${MAX_EXPIRED_REMOVED})`;
      await ask(text, [timeOf(by) - CLOCK_MARGIN_SECONDS * 1_000]);
    },
  };
}

/** The record of a row. A null is an absent field. */
export function recordOf<T>(table: Table<T>, row: FoundRow): T {
  const fields: Record<string, unknown> = {};
  for (const [field, { kind }] of columnsOf(table)) {
    const value = row[columnName(field)];
    if (value !== null && value !== undefined) fields[field] = readers[kind](value);
  }
  return fields as T;
}

/** PostgreSQL returns large integers as text. */
const readers: Readonly<Record<Column["kind"], (value: unknown) => unknown>> = {
  text: String,
  texts: (value) => textsFrom(String(value)),
  user: String,
  integer: Number,
  time: (value) => new Date(Number(value)),
};
