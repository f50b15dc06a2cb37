import { codeOf, Fault, Unavailable } from "../../core/fault.ts";
import { newerSchema } from "../newer-schema.ts";
import {
  type PostgresClient,
  type PostgresPool,
  query,
  type Row,
  run,
  withClient,
} from "./query.ts";
import { FIND_SCHEMA, quoted, tablesIn } from "./tables.ts";
import { inTransaction, PATIENCE_MS, type TransactionAsk } from "./transaction.ts";

/**
 * Each entry leads from the version that is its index to the next one. Entries are only ever added:
 * what has been released is not edited.
 */
const migrations: readonly string[] = [
  `CREATE TABLE latchkey_users (
     id text COLLATE "C" PRIMARY KEY,
     username text COLLATE "C" NOT NULL UNIQUE,
     password_hash text NOT NULL,
     sessions_from bigint
   );

   -- Has its one row as soon as there is a user: its key is what only one of all racers can get.
   CREATE TABLE latchkey_configured (yes boolean PRIMARY KEY CHECK (yes));

   CREATE FUNCTION latchkey_note_user() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO latchkey_configured VALUES (true) ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_note_user AFTER INSERT ON latchkey_users
     FOR EACH STATEMENT EXECUTE FUNCTION latchkey_note_user();

   CREATE FUNCTION latchkey_tell_user() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_notify('latchkey_users', OLD.id);
     RETURN NULL;
   -- A relative of PostgreSQL that has no notifications: its users are read every second.
   EXCEPTION WHEN feature_not_supported OR undefined_function THEN RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_tell_user AFTER UPDATE OR DELETE ON latchkey_users
     FOR EACH ROW EXECUTE FUNCTION latchkey_tell_user();

   CREATE FUNCTION latchkey_note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM latchkey_configured WHERE NOT EXISTS (SELECT FROM latchkey_users);
     IF TG_OP = 'TRUNCATE' THEN PERFORM pg_notify('latchkey_users', 'all'); END IF;
     RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_note_removal AFTER DELETE OR TRUNCATE ON latchkey_users
     FOR EACH STATEMENT EXECUTE FUNCTION latchkey_note_removal();

   -- The lock on its one row makes IDs come out in the order in which they can be read.
   CREATE TABLE latchkey_log_end (one boolean PRIMARY KEY CHECK (one), id bigint NOT NULL);
   INSERT INTO latchkey_log_end VALUES (true, 0);

   CREATE TABLE latchkey_log (
     id bigint PRIMARY KEY,
     -- Of the writer's making: an entry that is sent again goes in once.
     key uuid NOT NULL UNIQUE,
     at timestamptz NOT NULL,
     type text NOT NULL,
     summary text NOT NULL,
     author text NOT NULL
   );
   CREATE INDEX latchkey_log_by_time ON latchkey_log (at);
   CREATE INDEX latchkey_log_by_type ON latchkey_log (type, id);

   CREATE TABLE latchkey_import_mark (one boolean PRIMARY KEY CHECK (one), mark text NOT NULL);

   -- Nothing in it is worth keeping for longer than a minute, so nothing of it is flushed.
   CREATE UNLOGGED TABLE latchkey_attempts (
     address text PRIMARY KEY,
     made timestamptz[] NOT NULL
   ) WITH (fillfactor = 50);`,

  // Whoever inserts or deletes users may have any search_path. The schema is asked for each time, so
  // that it can be renamed.
  `CREATE OR REPLACE FUNCTION latchkey_note_user() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     EXECUTE format('INSERT INTO %I.latchkey_configured VALUES (true) ON CONFLICT DO NOTHING',
       TG_TABLE_SCHEMA);
     RETURN NULL;
   END $$;

   ALTER FUNCTION latchkey_tell_user() SET search_path = pg_catalog, pg_temp;

   CREATE OR REPLACE FUNCTION latchkey_note_removal() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     EXECUTE format('DELETE FROM %1$I.latchkey_configured
       WHERE NOT EXISTS (SELECT FROM %1$I.latchkey_users)', TG_TABLE_SCHEMA);
     IF TG_OP = 'TRUNCATE' THEN PERFORM pg_notify('latchkey_users', 'all'); END IF;
     RETURN NULL;
   END $$;`,
];

export const NEWEST_SCHEMA: number = migrations.length;

/**
 * Two instances may make the same thing at the same moment, which PostgreSQL takes as a failure: of
 * several kinds, and where it isolates transactions strictly, of one more.
 */
const MADE_TWICE = ["23505", "42P07", "42710", "40001"];
const TRIES = 5;

/**
 * Brings the tables up to date, all of them or nothing, and answers with the schema that they are
 * in. Where they are up to date already, nothing is locked and nothing but reading is asked for; of
 * several instances that start together one migrates, and the others wait for its row.
 */
export async function migrate(pool: PostgresPool, missing: "create" | "refuse"): Promise<string> {
  if (missing === "refuse" && (await placeOf(pool)).version === 0) {
    throw new Fault("database_missing", "there are no tables of Latchkey in this database");
  }
  for (let left = TRIES; ; left -= 1) {
    const { schema, version } = await placeOf(pool);
    if (version === migrations.length) return schema;
    try {
      const { schemaVersion } = tablesIn(schema);
      await withClient(pool, (client) => makeSchemaRow(client, schemaVersion));
      await inTransaction(pool, (ask) => migrateRow(ask, schema, schemaVersion));
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error;
      if (left <= 1 || !MADE_TWICE.includes(codeOf(cause) ?? "")) throw error;
    }
  }
}

/** Each on its own, or whoever makes them at the same time would wait for the whole migration. */
async function makeSchemaRow(client: PostgresClient, table: string): Promise<void> {
  const ask = (text: string): Promise<readonly Row[]> => run(client, { text }, PATIENCE_MS);
  await ask(
    `CREATE TABLE IF NOT EXISTS ${table} (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)`,
  );
  await ask(`INSERT INTO ${table} VALUES (true, 0) ON CONFLICT DO NOTHING`);
}

/** Whoever waited for the row sees what was done meanwhile. */
async function migrateRow(ask: TransactionAsk, schema: string, table: string): Promise<void> {
  const [row] = await ask(`SELECT version FROM ${table} FOR UPDATE`);
  // What is created goes there. PostgreSQL looks into its own schema first even so.
  await ask(`SET LOCAL search_path = ${quoted(schema)}, pg_temp`);
  for (const migration of migrations.slice(Number(row?.version))) await ask(migration);
  await ask(`UPDATE ${table} SET version = ${migrations.length}`);
}

interface Place {
  readonly schema: string;
  /** 0 where there are no tables yet. */
  readonly version: number;
}

async function placeOf(pool: PostgresPool): Promise<Place> {
  const [found] = await query(pool, { text: FIND_SCHEMA });
  if (typeof found?.schema !== "string") {
    throw new Fault(
      "database_schema_missing",
      "the search_path of this database role names no schema that exists and that the role may use",
    );
  }
  const { schema } = found;
  if (found.made !== true) return { schema, version: 0 };
  const [row] = await query(pool, {
    text: `SELECT version FROM ${tablesIn(schema).schemaVersion}`,
  });
  const version = Number(row?.version ?? 0);
  if (version > migrations.length) {
    throw newerSchema("the database", version, migrations.length);
  }
  return { schema, version };
}
