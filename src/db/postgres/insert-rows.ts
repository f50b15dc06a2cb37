import { randomUUID } from "node:crypto";
import { listColumnNames } from "../rows.ts";
import { isNumber } from "../schema.ts";
import { type Column, listColumns, type Row, tables, toColumnName } from "../tables.ts";
import { runSql } from "../transfer.ts";
import { type Rows, refusesTaken } from "../transfer-store.ts";
import type { OpenPostgres } from "./attempts.ts";

type NamedDb = Pick<OpenPostgres, "db" | "getTableName">;

/**
 * Inserts rows with one parameter for each column. Skips rows whose key exists, except rows of users
 * and apps.
 */
export async function insertRows(
  { db, getTableName: nameOf }: NamedDb,
  { table, rows }: Rows,
): Promise<void> {
  if (table === "log") return insertEntries({ db, getTableName: nameOf }, rows);
  if (rows.length === 0) return;
  const columns = listColumns(tables[table]);
  const onConflict = refusesTaken(table) ? "" : "ON CONFLICT DO NOTHING";
  await runSql(
    db,
    `INSERT INTO ${nameOf(table)} (${listColumnNames(tables[table]).join(", ")})
     SELECT rows.* FROM ROWS FROM (${formatLists(columns, 1)}) AS rows ${onConflict}`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}

/** The list leaves out the ID, which the database assigns. */
const ENTRY_COLUMNS = listColumns(tables.log).slice(1);

const listEntryColumns = (prefix: string): string =>
  ENTRY_COLUMNS.map(([field]) => `${prefix}${toColumnName(field)}`).join(", ");

/** Formats the values of each column as one parameter. The first parameter is `$first`. */
function formatLists(columns: readonly (readonly [string, Column])[], first: number): string {
  const lists = columns.map(
    ([, { kind }], at) => `unnest($${at + first}::${isNumber(kind) ? "int8" : "text"}[])`,
  );
  return lists.join(", ");
}

/**
 * Inserts entries with the next IDs. Writers lock the row of the last ID, so that the IDs have the
 * order of the commits: a reader that follows the log misses no entry.
 *
 * @param keys The writer chooses one key for each entry, so that an entry that is sent again is
 * inserted once.
 */
export async function insertEntries(
  { db, getTableName: nameOf }: NamedDb,
  rows: readonly Row[],
  keys: readonly string[] = rows.map(() => randomUUID()),
): Promise<void> {
  if (rows.length === 0) return;
  const values = ENTRY_COLUMNS.map((_, at) => rows.map((row) => row[at + 1] ?? null));
  await runSql(
    db,
    `WITH log_end AS (
       UPDATE ${nameOf("log_end")} SET id = id + $1 RETURNING id - $1 AS start
     )
     INSERT INTO ${nameOf("log")} (id, key, ${listEntryColumns("")})
     SELECT start + place, key, ${listEntryColumns("entry.")}
     FROM log_end, ROWS FROM (unnest($2::uuid[]), ${formatLists(ENTRY_COLUMNS, 3)})
       WITH ORDINALITY AS entry (key, ${listEntryColumns("")}, place)
     ON CONFLICT (key) DO NOTHING`,
    [rows.length, keys, ...values],
  );
}
