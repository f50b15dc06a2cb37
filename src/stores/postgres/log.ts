import { randomUUID } from "node:crypto";
import { columnName, columnsOf, tables, type Values } from "../../core/tables.ts";
import { isNumber } from "../rows.ts";
import type { Ask } from "../statements/sql.ts";

/** Without the ID, which the database assigns. */
const COLUMNS = columnsOf(tables.log).slice(1);

const INSERT = `WITH log_end AS (
    UPDATE {log_end} SET id = id + $1 RETURNING id - $1 AS start
  )
  INSERT INTO {log} (id, key, ${namesOf("").join(", ")})
  SELECT start + place, key, ${namesOf("entry.").join(", ")}
  FROM log_end, ROWS FROM (unnest($2::pg_catalog.uuid[]), ${COLUMNS.map(
    ([, { kind }], at) => `unnest($${at + 3}::pg_catalog.${isNumber(kind) ? "int8" : "text"}[])`,
  ).join(", ")}) WITH ORDINALITY AS entry (key, ${namesOf("").join(", ")}, place)
  ON CONFLICT (key) DO NOTHING`;

function namesOf(of: string): readonly string[] {
  return COLUMNS.map(([field]) => `${of}${columnName(field)}`);
}

/**
 * Inserts entries with the next IDs.
 *
 * @param keys One for each entry, which the writer chose: an entry that is sent again is inserted
 *   once.
 */
export async function insertEntries(
  ask: Ask,
  rows: readonly Values[],
  keys: readonly string[] = rows.map(() => randomUUID()),
): Promise<void> {
  if (rows.length === 0) return;
  const values = COLUMNS.map((_, at) => rows.map((row) => row[at + 1] ?? null));
  await ask(INSERT, [rows.length, keys, ...values]);
}
