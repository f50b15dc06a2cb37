import type { Row } from "../rows.ts";
import { EQ } from "./tables.ts";

/** Of the server with its standbys, the database, and the table whose full name is the parameter. */
export const IDENTITY: string = `SELECT system_identifier, pg_database.oid AS database,
    pg_catalog.to_regclass($1)::pg_catalog.oid AS tables
  FROM pg_catalog.pg_control_system(), pg_catalog.pg_database
  WHERE datname ${EQ} pg_catalog.current_database()`;

/** `undefined` if the role may not ask, or the server is a relative of PostgreSQL that does not know. */
export async function identityOf(ask: () => Promise<readonly Row[]>): Promise<string | undefined> {
  const [row] = await ask().catch(() => []);
  return row && `${row.system_identifier}:${row.database}:${row.tables}`;
}
