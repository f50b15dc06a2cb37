import { columnsOf, type TableName, tables, type Value, type Values } from "../tables.ts";
import type { RowReader } from "./transfer-store.ts";

const PAGE_SIZE = 1_000;

export const tableNames: readonly TableName[] = Object.keys(tables) as readonly TableName[];

/** The tables whose rows belong to users. */
export const ownedTables: readonly TableName[] = tableNames.filter((name) =>
  columnsOf(tables[name]).some(([, { kind, optional }]) => kind === "user" && optional !== true),
);

/** All items in pages, in the order of their IDs. */
export async function* pagesOf<Item extends { readonly id: string }>(
  read: (afterId: string, limit: number) => Promise<readonly Item[]>,
): AsyncIterable<readonly Item[]> {
  for (let afterId = ""; ; ) {
    const items = await read(afterId, PAGE_SIZE);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    afterId = last.id;
  }
}

/** All rows of a table in pages, in the order of their keys. */
export async function* rowPagesOf(
  store: RowReader,
  name: TableName,
): AsyncIterable<readonly Values[]> {
  const keyAt = columnsOf(tables[name]).findIndex(([field]) => field === tables[name].key);
  // Before every key.
  for (let after: Value = name === "log" ? 0 : ""; ; ) {
    const rows = await store.readRows(name, after, PAGE_SIZE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last[keyAt] ?? null;
  }
}
