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

/** Says how a field of a record is read from its column. */
interface FieldReader {
  readonly field: string;
  readonly column: string;
  readonly read: (value: unknown) => unknown;
}

/** The readers are derived once for each table, because the home page reads many rows. */
const readersOfTables = new WeakMap<AnyTable, readonly FieldReader[]>();

function listReaders(table: AnyTable): readonly FieldReader[] {
  let readers = readersOfTables.get(table);
  if (readers === undefined) {
    readers = listColumns(table).map(([field, { kind }]) => ({
      field,
      column: toColumnName(field),
      read: valueReaders[kind],
    }));
    readersOfTables.set(table, readers);
  }
  return readers;
}

/** Lists the column names of a table, in the order of their declaration. */
export const listColumnNames = (table: AnyTable): readonly string[] =>
  listReaders(table).map(({ column }) => column);

/** Returns the row of a record, for an insert. An absent field becomes a null. */
export function toRow<T extends AnyTable, Written extends RecordOf<T>>(
  table: T,
  record: Storable<T, Written>,
): TableRow<T> {
  const values = toRowValues<T, Written>(table, record);
  return Object.fromEntries(
    listColumnNames(table).map((column, at) => [column, values[at]]),
  ) as TableRow<T>;
}

/** Returns the record of a row. A null becomes an absent field. */
export function toRecord<T extends AnyTable>(table: T, row: TableRow<T>): RecordOf<T> {
  const rawRow: RawRow = row;
  const record: Record<string, unknown> = {};
  for (const { field, column, read } of listReaders(table)) {
    const value = rawRow[column];
    if (value !== null) record[field] = read(value);
  }
  return record as RecordOf<T>;
}

/** Read a value of a database driver, by the kind of its column. */
export const valueReaders: Readonly<Record<Column["kind"], (value: unknown) => unknown>> = {
  text: String,
  texts: (value) => splitTexts(String(value)),
  user: String,
  integer: Number,
  time: (value) => new Date(Number(value)),
};
