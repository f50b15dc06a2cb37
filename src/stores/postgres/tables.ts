/** Latchkey's tables by their full names, so that no `search_path` decides which ones are used. */
export interface Tables {
  readonly schemaVersion: string;
  readonly users: string;
  readonly configured: string;
  readonly log: string;
  readonly logEnd: string;
  readonly importMark: string;
  readonly attempts: string;
}

export function tablesIn(schema: string): Tables {
  const prefix = `${quoted(schema)}.latchkey_`;
  return {
    schemaVersion: `${prefix}schema`,
    users: `${prefix}users`,
    configured: `${prefix}configured`,
    log: `${prefix}log`,
    logEnd: `${prefix}log_end`,
    importMark: `${prefix}import_mark`,
    attempts: `${prefix}attempts`,
  };
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The schema of the tables by the connection's own `search_path`, or the one where the path would
 * create them: null where it names none that exists.
 */
export const FIND_SCHEMA = `SELECT pg_catalog.to_regclass('latchkey_schema') IS NOT NULL AS made,
  coalesce(
    (SELECT nspname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace
       ON pg_namespace.oid OPERATOR(pg_catalog.=) relnamespace
     WHERE pg_class.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('latchkey_schema')),
    pg_catalog.current_schema()) AS schema`;

/**
 * The rest of a transaction finds only PostgreSQL's own functions, types and operators by their short
 * names. A statement outside of one has to write them in full: in whatever schema, the closest match wins.
 */
export const SAFE_PATH = "SET LOCAL search_path = pg_catalog, pg_temp";
