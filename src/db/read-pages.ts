import { type ColumnValue, listColumns, type Row, type TableName, tables } from "./tables.ts";
import type { RowReader } from "./transfer-store.ts";

const PAGE_SIZE = 1_000;

/** The list leaves out the setup token, which belongs to the database and not to its accounts. */
export const tableNames: readonly TableName[] = (
  Object.keys(tables) as readonly TableName[]
).filter((name) => name !== "setup_tokens");

/** The rows of these tables belong to users. */
export const ownedTables: readonly TableName[] = tableNames.filter((name) =>
  listColumns(tables[name]).some(([, { kind, optional }]) => kind === "user" && optional !== true),
);

/** Reads all items in pages, in the order of their keys. `first` must come before all keys. */
async function* readPages<Item, Key>(
  first: Key,
  read: (after: Key, limit: number) => Promise<readonly Item[]>,
  getKey: (item: Item) => Key,
): AsyncIterable<readonly Item[]> {
  for (let after = first; ; ) {
    const items = await read(after, PAGE_SIZE);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    after = getKey(last);
  }
}

/** Reads all items in pages, in the order of their IDs. */
export const readPagesById = <Item extends { readonly id: string }>(
  read: (afterId: string, limit: number) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> => readPages("", read, ({ id }) => id);

/** Reads all rows of a table in pages, in the order of their keys. */
export function readRowPages(store: RowReader, name: TableName): AsyncIterable<readonly Row[]> {
  const first: ColumnValue = name === "log" ? 0 : "";
  const read = (after: ColumnValue, limit: number) => store.readRows(name, after, limit);
  return readPages<Row, ColumnValue>(first, read, ([key]) => key ?? null);
}
