const NAMES = {
  schemaVersion: "schema",
  users: "users",
  sessions: "sessions",
  configured: "configured",
  log: "log",
  logEnd: "log_end",
  attempts: "attempts",
} as const;

/** The full name of a table, for the text of a statement. */
export interface TableName {
  /** @throws While the schema is not known, so that no statement is sent before. */
  toString(): string;
}

/** Latchkey's tables by their full names, so that no `search_path` decides which ones are used. */
export type Tables<Name extends TableName = TableName> = Readonly<Record<keyof typeof NAMES, Name>>;

export const tablesIn = (schema: string): Tables<string> =>
  tablesNamed((name) => full(schema, name));

/** As `tablesIn`, for a schema that is found later: `schema` is called again for each statement. */
export const tablesLater = (schema: () => string): Tables =>
  tablesNamed((name) => ({ toString: () => full(schema(), name) }));

const tablesNamed = <Name extends TableName>(named: (name: string) => Name): Tables<Name> =>
  Object.fromEntries(
    Object.entries(NAMES).map(([table, name]) => [table, named(name)]),
  ) as Tables<Name>;

const full = (schema: string, name: string): string => `${quoted(schema)}.latchkey_${name}`;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * PostgreSQL's own operators, for statements outside a transaction with `SAFE_PATH`: a plain `=`
 * would be the best match in the `search_path`, whichever role created it.
 */
export const EQ = "OPERATOR(pg_catalog.=)";
export const GT = "OPERATOR(pg_catalog.>)";
export const GTE = "OPERATOR(pg_catalog.>=)";
export const LT = "OPERATOR(pg_catalog.<)";
export const LTE = "OPERATOR(pg_catalog.<=)";
export const PLUS = "OPERATOR(pg_catalog.+)";
export const MINUS = "OPERATOR(pg_catalog.-)";
export const TIMES = "OPERATOR(pg_catalog.*)";

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
