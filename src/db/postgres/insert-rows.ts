import { randomUUID } from "node:crypto";
import { columnNames } from "../rows.ts";
import { isNumber } from "../schema.ts";
import { type Column, columnName, columnsOf, type Row, tables } from "../tables.ts";
import { run } from "../transfer.ts";
import type { Rows } from "../transfer-store.ts";
import type { OpenPostgres } from "./attempts.ts";

type NamedDb = Pick<OpenPostgres, "db" | "nameOf">;

/** Inserts rows with one parameter for each column. Leaves out rows whose key is known, but no user. */
export async function insertRows({ db, nameOf }: NamedDb, { table, rows }: Rows): Promise<void> {
  if (table === "log") return insertEntries({ db, nameOf }, rows);
  if (rows.length === 0) return;
  const columns = columnsOf(tables[table]);
  const known = table === "users" ? "" : "ON CONFLICT DO NOTHING";
  await run(
    db,
    `INSERT INTO ${nameOf(table)} (${columnNames(tables[table]).join(", ")})
     SELECT rows.* FROM ROWS FROM (${listsOf(columns, 1)}) AS rows ${known}`,
    columns.map((_, at) => rows.map((row) => row[at] ?? null)),
  );
}

/** Without the ID, which the database assigns. */
const ENTRY_COLUMNS = columnsOf(tables.log).slice(1);

const entryNames = (prefix: string): string =>
  ENTRY_COLUMNS.map(([field]) => `${prefix}${columnName(field)}`).join(", ");

/** The values of each column as one parameter, from `$first`. */
function listsOf(columns: readonly (readonly [string, Column])[], first: number): string {
  const lists = columns.map(
    ([, { kind }], at) => `unnest($${at + first}::${isNumber(kind) ? "int8" : "text"}[])`,
  );
  return lists.join(", ");
}

/**
 * Inserts entries with the next IDs. Writers lock the row of the last ID, so that the order of the IDs
 * is that of the commits: a reader that follows the log misses none.
 *
 * @param keys One for each entry, which the writer chose: an entry that is sent again is inserted
 *   once.
 */
export async function insertEntries(
  { db, nameOf }: NamedDb,
  rows: readonly Row[],
  keys: readonly string[] = rows.map(() => randomUUID()),
): Promise<void> {
  if (rows.length === 0) return;
  const values = ENTRY_COLUMNS.map((_, at) => rows.map((row) => row[at + 1] ?? null));
  await run(
    db,
    `WITH log_end AS (
       UPDATE ${nameOf("log_end")} SET id = id + $1 RETURNING id - $1 AS start
     )
     INSERT INTO ${nameOf("log")} (id, key, ${entryNames("")})
     SELECT start + place, key, ${entryNames("entry.")}
     FROM log_end, ROWS FROM (unnest($2::uuid[]), ${listsOf(ENTRY_COLUMNS, 3)})
       WITH ORDINALITY AS entry (key, ${entryNames("")}, place)
     ON CONFLICT (key) DO NOTHING`,
    [rows.length, keys, ...values],
  );
}
