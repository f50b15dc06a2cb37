import { type SchemaPart, schemaParts } from "../statements/schema.ts";
import type { Ask } from "../statements/sql.ts";
import { OWN_CHANGES } from "./schema.ts";
import { type FullNames, tableName } from "./tables.ts";

type Table = keyof FullNames;

interface Part {
  readonly kind: SchemaPart["kind"] | "trigger" | "table";
  readonly table: Table;
  /** Of a trigger its name. */
  readonly columns: string;
}

/** What the database lacks, and the statement that brings it back, if a statement can. */
export interface MissingPart {
  readonly part: string;
  readonly repair: string | undefined;
}

/** Beside those of `core/tables.ts`. */
const OWN_PARTS: readonly Part[] = [
  { kind: "primary key", table: "schema", columns: "one" },
  { kind: "primary key", table: "configured", columns: "yes" },
  { kind: "primary key", table: "log_end", columns: "one" },
  { kind: "primary key", table: "attempts", columns: "address" },
  { kind: "unique key", table: "log", columns: "key" },
];

const triggersIn = (changes: readonly string[]): readonly Part[] =>
  Array.from(
    changes.join().matchAll(/CREATE TRIGGER (\w+) [^;]*? ON latchkey_(\w+)/g),
    (found) => ({
      kind: "trigger" as const,
      table: String(found[2]) as Table,
      columns: String(found[1]),
    }),
  );

/**
 * Finds the tables, columns, keys, indexes and triggers of this schema that the database lacks, such
 * as after a partial dump. Reads only PostgreSQL's own tables, in a transaction with `SAFE_PATH`.
 */
export async function findMissingParts(
  ask: Ask,
  names: FullNames,
  version: number,
): Promise<readonly MissingPart[]> {
  const rows = await ask(PARTS, [Object.values(names), names.users]);
  const found = new Set(rows.map((row) => `${row.kind} ${row.relation} ${row.columns}`));
  const tables = new Set(rows.map((row) => String(row.relation)));
  const expected: readonly Part[] = [
    ...(schemaParts(version) as readonly Part[]),
    ...OWN_PARTS,
    ...triggersIn(OWN_CHANGES.slice(0, version)),
  ];
  const missingTables = new Set(
    expected.map(({ table }) => table).filter((table) => !tables.has(tableName(table))),
  );
  const missing = expected.filter(
    ({ kind, table, columns }) =>
      !missingTables.has(table) && !found.has(`${kind} ${tableName(table)} ${columns}`),
  );
  const whole = Array.from(missingTables, (table) => ({
    kind: "table" as const,
    table,
    columns: "",
  }));
  return [...whole, ...missing].map((part) => ({
    part: nameOf(part),
    repair: repairOf(part, names),
  }));
}

function nameOf({ kind, table, columns }: Part): string {
  if (kind === "table") return `the table ${tableName(table)}`;
  const which = kind === "trigger" || kind === "column" ? columns : `(${columns})`;
  return `the ${kind} ${which} of ${tableName(table)}`;
}

function repairOf({ kind, table, columns }: Part, names: FullNames): string | undefined {
  const alter = `ALTER TABLE ${names[table]}`;
  switch (kind) {
    case "primary key":
      return `${alter} ADD PRIMARY KEY (${columns})`;
    case "unique key":
      return `${alter} ADD UNIQUE (${columns})`;
    case "foreign key":
      return `${alter} ADD FOREIGN KEY (${columns}) REFERENCES ${names.users} (id) ON DELETE CASCADE`;
    case "index": {
      const name = `${tableName(table)}_by_${columns.replaceAll(", ", "_")}`;
      return `CREATE INDEX ${name} ON ${names[table]} (${columns})`;
    }
    case "table":
    case "column":
    case "trigger":
      return undefined;
  }
}

/** An index that could not be built, and a trigger or key that is disabled, count as missing. */
const PARTS = `
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
        SELECT FROM pg_trigger WHERE tgconstraint = pg_constraint.oid AND tgenabled = 'D')
  UNION ALL SELECT 'trigger', relation, tgname::text
    FROM own JOIN pg_trigger ON tgrelid = own.oid WHERE NOT tgisinternal AND tgenabled <> 'D'`;
