import { codeOf, Fault, Unavailable } from "../../core/base/fault.ts";
import { newerSchema } from "../inspection.ts";
import type { Ask, PostgresPool } from "./query.ts";
import { FIND_SCHEMA, quoted, tablesIn } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Each entry migrates from the version that is its index to the next one. Released entries are never
 * edited, only new ones added.
 */
export const migrations: readonly string[] = [
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

  // Sessions that insert or delete users can have any search_path. The functions read the schema's
  // name on each call, so that it can be renamed.
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

  `ALTER TABLE latchkey_users
     ADD COLUMN ended_sessions text, ADD COLUMN codes text, ADD COLUMN passkeys text;
   CREATE INDEX latchkey_users_with_codes ON latchkey_users (id) WHERE codes IS NOT NULL;
   CREATE INDEX latchkey_users_with_passkeys ON latchkey_users (id) WHERE passkeys IS NOT NULL;

   CREATE TABLE latchkey_sessions (
     id text COLLATE "C" PRIMARY KEY,
     user_id text COLLATE "C" NOT NULL
       REFERENCES latchkey_users (id) ON UPDATE CASCADE ON DELETE CASCADE,
     created_at timestamptz NOT NULL,
     used_at timestamptz NOT NULL,
     expires_at timestamptz NOT NULL,
     address text NOT NULL,
     device text NOT NULL
   );
   CREATE INDEX latchkey_sessions_by_user ON latchkey_sessions (user_id, used_at);
   CREATE INDEX latchkey_sessions_by_end ON latchkey_sessions (expires_at);`,

  "DROP TABLE latchkey_import_mark",

  `ALTER TABLE latchkey_log ADD COLUMN user_id text COLLATE "C";
   CREATE INDEX latchkey_log_by_user ON latchkey_log (user_id, id) WHERE user_id IS NOT NULL;`,
];

export const NEWEST_SCHEMA: number = migrations.length;

/** PostgreSQL's errors when two instances create the same object at the same time. */
const CREATED_TWICE = ["23505", "42P07", "42710", "40001"];
const TRIES = 5;

/**
 * Migrates the tables completely or not at all, and returns their schema. Only reads, without a
 * lock, when they are up to date. Of several instances that start together one migrates, and the
 * others wait for the lock on the version row.
 */
export async function migrate(
  pool: PostgresPool,
  ask: Ask,
  missing: "create" | "refuse",
): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    const { schema, version } = await findTables(ask);
    if (version === migrations.length) return schema;
    if (version === 0 && missing === "refuse") {
      throw new Fault("database_missing", "this database has no Latchkey tables");
    }
    try {
      await migrateIn(schema, pool);
    } catch (error) {
      const cause = error instanceof Unavailable ? error.cause : error;
      if (left <= 1 || !CREATED_TWICE.includes(codeOf(cause) ?? "")) throw error;
    }
  }
}

async function migrateIn(schema: string, pool: PostgresPool): Promise<void> {
  const { schemaVersion } = tablesIn(schema);
  // A transaction of its own, so that concurrent instances do not wait here for the whole migration.
  await inTransaction(pool, async (ask) => {
    await ask(
      `CREATE TABLE IF NOT EXISTS ${schemaVersion} (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)`,
    );
    await ask(`INSERT INTO ${schemaVersion} VALUES (true, 0) ON CONFLICT DO NOTHING`);
  });
  await inTransaction(pool, async (ask) => {
    // An instance that waited for the lock reads the version that the other one has written.
    const [row] = await ask(`SELECT version FROM ${schemaVersion} FOR UPDATE`);
    // New objects go to that schema. PostgreSQL still searches pg_catalog first.
    await ask(`SET LOCAL search_path = ${quoted(schema)}, pg_temp`);
    for (const migration of migrations.slice(Number(row?.version))) await ask(migration);
    await ask(`UPDATE ${schemaVersion} SET version = ${migrations.length}`);
  });
}

async function findTables(ask: Ask): Promise<{ schema: string; version: number }> {
  const [found] = await ask(FIND_SCHEMA);
  if (typeof found?.schema !== "string") {
    throw new Fault(
      "database_schema_missing",
      "the search_path of this database role names no existing schema that the role can use: create a schema for it, or grant it USAGE on one",
    );
  }
  const { schema } = found;
  if (found.made !== true) return { schema, version: 0 };
  const [row] = await ask(`SELECT version FROM ${tablesIn(schema).schemaVersion}`);
  const version = Number(row?.version ?? 0);
  if (version > migrations.length) throw newerSchema("the database", version, migrations.length);
  return { schema, version };
}
