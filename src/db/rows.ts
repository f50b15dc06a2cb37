import type { TableRow } from "./database.ts";
import {
  type AnyTable,
  type Column,
  listColumns,
  type RecordOf,
  type Storable,
  splitTexts,
  toColumnName,
  toRowValues,
} from "./tables.ts";

/** Describes a row as a database driver returns it. */
export type RawRow = Readonly<Record<string, unknown>>;

/** Lists the column names of a table, in the order of their declaration. */
export const listColumnNames = (table: AnyTable): readonly string[] =>
  listColumns(table).map(([field]) => toColumnName(field));

/** Returns the row of a record, for an insert. An absent field becomes a null. */
export function toRow<T extends AnyTable, Written extends RecordOf<T>>(
  table: T,
  record: Storable<T, Written>,
): TableRow<T> {
  const values = toRowValues<T, Written>(table, record);
  return Object.fromEntries(
    listColumns(table).map(([field], at) => [toColumnName(field), values[at]]),
  ) as TableRow<T>;
}

/** Returns the record of a row. A null becomes an absent field. */
export function toRecord<T extends AnyTable>(table: T, row: TableRow<T>): RecordOf<T> {
  const rawRow: RawRow = row;
  const record: Record<string, unknown> = {};
  for (const [field, { kind }] of listColumns(table)) {
    const value = rawRow[toColumnName(field)];
    if (value !== null) record[field] = valueReaders[kind](value);
  }
  return record as RecordOf<T>;
}

const valueReaders: Readonly<Record<Column["kind"], (value: unknown) => unknown>> = {
  text: String,
  texts: (value) => splitTexts(String(value)),
  user: String,
  integer: Number,
  time: (value) => new Date(Number(value)),
};
