import { readRowPages } from "../../db/read-pages.ts";
import {
  type Column,
  type ColumnValue,
  listColumns,
  type Row,
  splitTexts,
  type TableName,
  tables,
  toColumnName,
} from "../../db/tables.ts";
import type { RowReader } from "../../db/transfer-store.ts";
import { exportedTables } from "./transfer.ts";

/**
 * With hashes, an export also contains everything that belongs to a user, and an import reads it.
 */
export type Hashes = "with" | "without";

/** Lists the names of a user's fields. */
export const listExportFields = (hashes: Hashes): readonly string[] => [
  ...listColumns(tables.users)
    .filter(([, { secret }]) => hashes === "with" || secret !== true)
    .map(([field]) => toColumnName(field)),
  ...(hashes === "with" ? exportedTables : []),
];

type Fields = ReadonlyMap<string, unknown>;

/** Exports all users in pages. It omits rows that have expired by now. */
export async function* exportUsers(
  store: RowReader,
  hashes: Hashes,
  now: number,
): AsyncIterable<readonly Fields[]> {
  const names = new Set(listExportFields(hashes));
  for await (const users of readRowPages(store, "users")) {
    const page = new Map(
      users.map((row) => {
        const shown = listFields("users", row).filter(([name]) => names.has(name));
        return [String(row[0]), new Map(shown)];
      }),
    );
    for (const table of exportedTables.filter((name) => names.has(name))) {
      for (const row of await store.readUserRows(table, [...page.keys()])) {
        const fields = new Map(listFields(table, row));
        if (Number(fields.get("expires_at") ?? Infinity) <= now) continue;
        const user = page.get(String(fields.get("user_id")));
        fields.delete("user_id");
        const list = user?.get(table);
        if (Array.isArray(list)) list.push(Object.fromEntries(fields));
        else user?.set(table, [Object.fromEntries(fields)]);
      }
    }
    yield [...page.values()];
  }
}

/** Lists the fields of a row that are not null, by the names of their columns. */
export const listFields = (table: TableName, row: Row): readonly (readonly [string, unknown])[] =>
  listColumns(tables[table]).flatMap(([field, column], at) => {
    const value = row[at] ?? null;
    return value === null ? [] : [[toColumnName(field), exportValue(column, value)] as const];
  });

const exportValue = ({ kind }: Column, value: ColumnValue): unknown =>
  kind === "texts" ? splitTexts(String(value)) : value;
