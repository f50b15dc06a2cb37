import type { RowOf } from "./database.ts";
import {
  type AnyTable,
  type Column,
  columnName,
  columnsOf,
  type RecordOf,
  rowOf,
  type Storable,
  textsFrom,
} from "./tables.ts";

/** A row as a database driver returns it. */
export type FoundRow = Readonly<Record<string, unknown>>;

/** The names of the columns of a table, in the order in which they are declared. */
export const columnNames = (table: AnyTable): readonly string[] =>
  columnsOf(table).map(([field]) => columnName(field));

/** The row of a record, for an insert. An absent field becomes a null. */
export function toRow<T extends AnyTable, Written extends RecordOf<T>>(
  table: T,
  record: Storable<T, Written>,
): RowOf<T> {
  const values = rowOf<T, Written>(table, record);
  return Object.fromEntries(
    columnsOf(table).map(([field], at) => [columnName(field), values[at]]),
  ) as RowOf<T>;
}

/** The record of a row. A null becomes an absent field. */
export function toRecord<T extends AnyTable>(table: T, row: RowOf<T>): RecordOf<T> {
  const found: FoundRow = row;
  const record: Record<string, unknown> = {};
  for (const [field, { kind }] of columnsOf(table)) {
    const value = found[columnName(field)];
    if (value !== null) record[field] = readValue[kind](value);
  }
  return record as RecordOf<T>;
}

const readValue: Readonly<Record<Column["kind"], (value: unknown) => unknown>> = {
  text: String,
  texts: (value) => textsFrom(String(value)),
  user: String,
  integer: Number,
  time: (value) => new Date(Number(value)),
};
