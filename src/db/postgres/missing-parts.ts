import type { RawRow } from "../rows.ts";
import { formatIndexName, getTableName, listSchemaParts, type SchemaPart } from "../schema.ts";
import { listFullNames, qualifyName } from "./schema.ts";

/** Runs a query in the transaction of an inspection. */
export type RunQuery = (text: string, values?: unknown[]) => Promise<readonly RawRow[]>;

interface Part {
  readonly kind: SchemaPart["kind"] | "table";
  readonly table: string;
  readonly columns: string;
}

/** Names a part that the database lacks, and the statement that restores it, if a statement can. */
export interface MissingPart {
  readonly part: string;
  readonly repair: string | undefined;
}

/** PostgreSQL has these parts in addition to those of `tables.ts`. */
const POSTGRES_PARTS: readonly Part[] = [
  { kind: "primary key", table: "schema", columns: "one" },
  { kind: "primary key", table: "log_end", columns: "one" },
  { kind: "primary key", table: "attempts", columns: "address" },
  { kind: "unique key", table: "log", columns: "key" },
];

/**
 * Finds the tables, columns, keys and indexes that the database lacks, for example after a partial
 * dump. Reads only PostgreSQL's own tables.
 */
export async function findMissingParts(
  query: RunQuery,
  schema: string,
): Promise<readonly MissingPart[]> {
  const rows = await query(FIND_PARTS, [listFullNames(schema), qualifyName(schema, "users")]);
  const existing = new Set(rows.map((row) => `${row.kind} ${row.relation} ${row.columns}`));
  const tables = new Set(rows.map((row) => String(row.relation)));
  const expected: readonly Part[] = [...listSchemaParts(), ...POSTGRES_PARTS];
  const missingTables = new Set(
    expected.map(({ table }) => table).filter((table) => !tables.has(getTableName(table))),
  );
  const missing = expected.filter(
    ({ kind, table, columns }) =>
      !missingTables.has(table) && !existing.has(`${kind} ${getTableName(table)} ${columns}`),
  );
  const whole = Array.from(missingTables, (table) => ({
    kind: "table" as const,
    table,
    columns: "",
  }));
  return [...whole, ...missing].map((part) => ({
    part: describePart(part),
    repair: formatRepair(part, schema),
  }));
}

function describePart({ kind, table, columns }: Part): string {
  if (kind === "table") return `the table ${getTableName(table)}`;
  const which = kind === "column" ? columns : `(${columns})`;
  return `the ${kind} ${which} of ${getTableName(table)}`;
}

function formatRepair({ kind, table, columns }: Part, schema: string): string | undefined {
  const sqlName = qualifyName(schema, table);
  const alter = `ALTER TABLE ${sqlName}`;
  switch (kind) {
    case "primary key":
      return `${alter} ADD PRIMARY KEY (${columns})`;
    case "unique key":
      return `${alter} ADD UNIQUE (${columns})`;
    case "foreign key":
      return `${alter} ADD FOREIGN KEY (${columns}) REFERENCES ${qualifyName(schema, "users")} (id) ON DELETE CASCADE`;
    case "index":
      return `CREATE INDEX ${formatIndexName(getTableName(table), columns)} ON ${sqlName} (${columns})`;
    case "table":
    case "column":
      return undefined;
  }
}

/** An invalid index and a disabled key count as missing. */
const FIND_PARTS = `
  WITH own AS (
    SELECT pg_class.oid, relname::text AS relation
    FROM unnest($1::text[]) AS each (name) JOIN pg_class ON pg_class.oid = to_regclass(each.name)
  )
  SELECT 'column' AS kind, relation, attname::text AS columns
    FROM own JOIN pg_attribute ON attrelid = own.oid WHERE attnum > 0 AND NOT attisdropped
  UNION ALL SELECT
    CASE WHEN indisprimary THEN 'primary key' WHEN indisunique THEN 'unique key' ELSE 'index' END,
    relation,
    (SELECT string_agg(attname::text, ', ' ORDER BY at)
      FROM unnest(indkey::int2[]) WITH ORDINALITY AS each (number, at)
      JOIN pg_attribute ON attrelid = indrelid AND attnum = each.number)
    FROM own JOIN pg_index ON indrelid = own.oid WHERE indisvalid AND indpred IS NULL
  UNION ALL SELECT 'foreign key', relation, attname::text
    FROM own JOIN pg_constraint ON conrelid = own.oid
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND confdeltype = 'c' AND convalidated AND confrelid = to_regclass($2)
      AND NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgconstraint = pg_constraint.oid AND tgenabled = 'D')`;
