/** Latchkey's tables, for the configuration of an app that uses Prisma. */
import "./lib/node-version.ts";
import { getTableName, POSTGRES_TABLES } from "./db/schema.ts";
import { tables } from "./db/tables.ts";

/**
 * Lists Latchkey's tables for `tables.external` of `prisma.config.ts`, so that Prisma neither
 * creates, changes nor drops them.
 *
 * @param schema The PostgreSQL schema that has the tables. Leave it out with SQLite.
 * @example
 * ```ts
 * const config = { tables: { external: listExternalTables("public") } };
 * ```
 */
export function listExternalTables(schema?: string): string[] {
  const names = [...Object.keys(tables), ...POSTGRES_TABLES].map(getTableName);
  return schema === undefined ? names : names.map((name) => `${schema}.${name}`);
}
