import { join } from "node:path";
import type { TestContext } from "node:test";
import { openPostgres, type PostgresStore } from "../../src/db/postgres/store.ts";
import { openSqlite, type SqliteStore } from "../../src/db/sqlite/store.ts";
import { execute, inDatabase } from "../support/database.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await sharedPostgres();

type Rows = readonly unknown[];

/** A database of one test, as its own SQL sees it. */
export interface Database {
  readonly env: Readonly<Record<string, string>>;
  load(sql: string): unknown;
  open(): Promise<SqliteStore | PostgresStore>;
  /** The rows of every table except that of the version, by its name. */
  rows(): Promise<Readonly<Record<string, Rows>>>;
  /** The definitions of all tables, indexes, constraints, triggers and functions, and the version. */
  schema(): Promise<Rows>;
}

export async function sqlite(t: TestContext): Promise<Database> {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  const all = (sql: string) => inDatabase(file, (database) => database.prepare(sql).all());
  return {
    env: { DATA_DIR },
    load: (sql) => execute(file, sql),
    open: () => openSqlite({ file }),
    async rows() {
      const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table'");
      const kept = tables.filter(({ name }) => name !== "sqlite_sequence");
      return Object.fromEntries(
        kept.map(({ name }) => [newName(name), all(`SELECT * FROM ${name} ORDER BY 1`)]),
      );
    },
    schema: async () => [
      ...all("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"),
      ...all("PRAGMA user_version"),
    ],
  };
}

/** The name since the second schema. */
function newName(table: unknown): string {
  const name = String(table);
  if (name === "log_entries") return "latchkey_log";
  return name.startsWith("latchkey_") ? name : `latchkey_${name}`;
}

const POSTGRES_SCHEMA = `
  SELECT concat_ws(' ', relname, relpersistence, reloptions) AS definition
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', table_name, column_name, ordinal_position, data_type,
      collation_name, is_nullable, column_default)
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT concat('version ', version) FROM latchkey_schema
  ORDER BY 1`;

export async function postgres(): Promise<Database> {
  const url = await server.newDatabase();
  return {
    env: { DATABASE_URL: url },
    load: (sql) => runSql(url, sql),
    open: () => openPostgres({ url }),
    async rows() {
      const tables = await runSql(
        url,
        `SELECT tablename FROM pg_tables
           WHERE schemaname = 'public' AND tablename NOT IN ('latchkey_schema', 'latchkey_configured')`,
      );
      const rowsOf = ({ tablename }: (typeof tables)[number]) =>
        runSql(url, `SELECT to_jsonb(rows) AS row FROM ${tablename} AS rows ORDER BY 1`);
      const rows = tables.map(async (table) => [table.tablename, await rowsOf(table)] as const);
      return Object.fromEntries(await Promise.all(rows));
    },
    schema: () => runSql(url, POSTGRES_SCHEMA),
  };
}
