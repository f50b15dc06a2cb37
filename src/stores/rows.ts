import {
  type AnyTable,
  type Column,
  columnName,
  columnsOf,
  split,
  type Table,
} from "../core/tables.ts";

/** A row as the database driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

export const columnNames = (table: AnyTable): string =>
  columnsOf(table)
    .map(([field]) => columnName(field))
    .join(", ");

/** Parameters for the values of a row, from `$1`, in a place that does not tell PostgreSQL their types. */
export const parametersOf = (table: AnyTable): string =>
  columnsOf(table)
    .map(([, { kind }], at) => (isNumber(kind) ? `CAST($${at + 1} AS bigint)` : `$${at + 1}`))
    .join(", ");

/** Whether a column holds numbers. */
export const isNumber = (kind: Column["kind"]): boolean => kind === "integer" || kind === "time";

/** The record of a row. A null is an absent field. */
export function recordOf<T>(table: Table<T>, row: Row): T {
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
  texts: (value) => split(String(value)),
  user: String,
  integer: Number,
  time: (value) => new Date(Number(value)),
};
