import { randomUUID } from "node:crypto";
import { type Column, columnName, columnsOf, type Row, tables } from "../../core/tables.ts";
import type { Rows } from "../../core/transfer/transfer-store.ts";
import { type Ask, columnNames, isNumber } from "../statements/sql.ts";

export async function insertRows(ask: Ask, { table, rows }: Rows): Promise<void> {
  if (table === "log") return insertEntries(ask, rows);
  if (rows.length === 0) return;
  const columns = columnsOf(tables[table]);
  const known = table === "users" ? "" : "ON CONFLICT DO NOTHING";
  await ask(
    `INSERT INTO {${table}} (${columnNames(tables[table])})
     SELECT rows.* FROM ROWS FROM (${listsOf(columns, 1)}) AS rows ${known}`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}

/** Without the ID, which the database assigns. */
const ENTRY_COLUMNS = columnsOf(tables.log).slice(1);

const INSERT_ENTRIES = `WITH log_end AS (
    UPDATE {log_end} SET id = id + $1 RETURNING id - $1 AS start
  )
  INSERT INTO {log} (id, key, ${entryNames("")})
  SELECT start + place, key, ${entryNames("entry.")}
  FROM log_end, ROWS FROM (unnest($2::pg_catalog.uuid[]), ${listsOf(ENTRY_COLUMNS, 3)})
    WITH ORDINALITY AS entry (key, ${entryNames("")}, place)
  ON CONFLICT (key) DO NOTHING`;

function entryNames(of: string): string {
  return ENTRY_COLUMNS.map(([field]) => `${of}${columnName(field)}`).join(", ");
}

/** The values of each column as one parameter, from `$first`. */
function listsOf(columns: readonly (readonly [string, Column])[], first: number): string {
  const lists = columns.map(
    ([, { kind }], at) =>
      `unnest($${at + first}::pg_catalog.${isNumber(kind) ? "int8" : "text"}[])`,
  );
  return lists.join(", ");
}

/**
 * Inserts entries with the next IDs.
 *
 * @param keys One for each entry, which the writer chose: an entry that is sent again is inserted
 *   once.
 */
export async function insertEntries(
  ask: Ask,
  rows: readonly Row[],
  keys: readonly string[] = rows.map(() => randomUUID()),
): Promise<void> {
  if (rows.length === 0) return;
  const values = ENTRY_COLUMNS.map((_, at) => rows.map((row) => row[at + 1] ?? null));
  await ask(INSERT_ENTRIES, [rows.length, keys, ...values]);
}
