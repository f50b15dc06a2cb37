import { tables } from "../../core/tables.ts";
import type { Ask } from "../statements/sql.ts";

/** Beside the tables of `core/tables.ts`, those that only PostgreSQL needs. */
const OWN_TABLES = ["schema", "configured", "log_end", "attempts"] as const;

type Name = keyof typeof tables | (typeof OWN_TABLES)[number];

const NAMES = [...(Object.keys(tables) as readonly Name[]), ...OWN_TABLES];

/** Latchkey's tables by their full names, so that no `search_path` decides which ones are used. */
export type FullNames = Readonly<Record<Name, string>>;

export const namesIn = (schema: string): FullNames =>
  Object.fromEntries(
    NAMES.map((name) => [name, `${quotedName(schema)}.${tableName(name)}`]),
  ) as FullNames;

export const tableName = (name: string): string => `latchkey_${name}`;

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** PostgreSQL's own operator: a plain `=` would be the best match in the `search_path`. */
const EQ = "OPERATOR(pg_catalog.=)";

/**
 * The SQL that both databases share, as PostgreSQL takes it outside a transaction with `SAFE_PATH`:
 * full names of tables, and its own operators and functions, whatever others a role has created.
 */
const inPostgres = (text: string, names: FullNames): string =>
  text
    .replace(/ IN \{(\$\d+)\}/g, ` ${EQ} ANY ($1)`)
    .replace(/\{(\w+)\}/g, (_, name: Name) => names[name])
    .replace(/ IN(?=\s*\()/g, ` ${EQ} ANY `)
    .replace(/ ==(?=\s)/g, ` ${EQ}`)
    .replace(/ (<=|>=|<>|<|>|\+|-)(?=\s)/g, " OPERATOR(pg_catalog.$1)")
    .replace(FUNCTIONS, "pg_catalog.$&");

/**
 * Takes the shared SQL. A text with NUL, which PostgreSQL cannot store, matches no row. What would
 * be stored has none: `rowOf` refuses it, and rules check the names that an UPDATE sets.
 * @param names Throws while the schema is not known, so that no statement is sent before.
 */
export function inSharedSql(ask: Ask, names: () => FullNames): Ask {
  const translated = new Map<string, string>();
  return async (text, values = [], name = undefined) => {
    if (/^(SELECT|DELETE|UPDATE)/.test(text) && values.flat().some(hasNul)) return [];
    const own = translated.get(text) ?? inPostgres(text, names());
    translated.set(text, own);
    return ask(own, values, name);
  };
}

const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

const FUNCTIONS =
  /(?<![.\w])(array_append|cardinality|clock_timestamp|count|left|lower|min|replace|strpos|unnest)\(/g;

/** In the rest of the transaction, short names mean PostgreSQL's own functions and operators. */
export const SAFE_PATH = "SET LOCAL search_path = pg_catalog, pg_temp";

/**
 * Finds the schema of the tables through the connection's own `search_path`, or else the schema that
 * the path would create them in: null if the path names no existing schema.
 */
export const FIND_SCHEMA: string = `SELECT pg_catalog.to_regclass('latchkey_schema') IS NOT NULL AS made,
  coalesce(
    (SELECT nspname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace
       ON pg_namespace.oid ${EQ} relnamespace
     WHERE pg_class.oid ${EQ} pg_catalog.to_regclass('latchkey_schema')),
    pg_catalog.current_schema()) AS schema`;

/** Of the server with its standbys, the database, and the table whose full name is the parameter. */
export const IDENTITY: string = `SELECT system_identifier, pg_database.oid AS database,
    pg_catalog.to_regclass($1)::pg_catalog.oid AS tables
  FROM pg_catalog.pg_control_system(), pg_catalog.pg_database
  WHERE datname ${EQ} pg_catalog.current_database()`;

/** `undefined` if the role may not ask, or the server is a relative of PostgreSQL that does not know. */
export async function identityOf(ask: () => ReturnType<Ask>): Promise<string | undefined> {
  const [row] = await ask().catch(() => []);
  return row && `${row.system_identifier}:${row.database}:${row.tables}`;
}
