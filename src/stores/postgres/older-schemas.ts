import { NEWEST_SCHEMA } from "../statements/schema.ts";
import type { Ask } from "../statements/sql.ts";
import { EQ } from "./tables.ts";

/** The schemas of older versions of Latchkey that are connected to the database. */
export async function olderSchemas(ask: Ask): Promise<readonly number[]> {
  const rows = await ask(
    `SELECT application_name AS name FROM pg_catalog.pg_stat_activity
     WHERE datname ${EQ} pg_catalog.current_database()`,
  );
  const schemas = rows.map(({ name }) => Number(/^latchkey schema (\d+)$/.exec(String(name))?.[1]));
  return [...new Set(schemas)].filter((schema) => schema < NEWEST_SCHEMA);
}
