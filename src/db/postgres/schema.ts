import { Fault, getErrorCode } from "../../lib/fault.ts";
import { type Db, TransactionConflict, UniqueViolation } from "../database.ts";
import { noteAllNames } from "../queries/names.ts";
import {
  type Definitions,
  getTableName,
  listSchemaChanges,
  NEWEST_SCHEMA,
  refuseNewerSchema,
} from "../schema.ts";
import { tables } from "../tables.ts";
import { runSql } from "../transfer.ts";

const definitions: Definitions = {
  getTableName,
  text: 'text COLLATE "C"',
  number: "bigint",
  counted: "",
  tableOptions: "",
};

/**
 * Lists the changes that only PostgreSQL needs, by schema. Released entries must not be edited.
 * Sessions that insert or delete users can have any search_path, so the functions set their own
 * path, and read the schema's name on each call, so that the schema can be renamed.
 */
export const POSTGRES_CHANGES: readonly string[] = [
  `-- Has its one row once there is a user. Of concurrent setups, one can insert that row.
   CREATE TABLE latchkey_configured (yes boolean PRIMARY KEY CHECK (yes));

   CREATE FUNCTION latchkey_note_user() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     EXECUTE format('INSERT INTO %I.latchkey_configured VALUES (true) ON CONFLICT DO NOTHING',
       TG_TABLE_SCHEMA);
     RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_note_user AFTER INSERT ON latchkey_users
     FOR EACH STATEMENT EXECUTE FUNCTION latchkey_note_user();

   CREATE FUNCTION latchkey_tell_user() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     PERFORM pg_notify('latchkey_users', OLD.id);
     RETURN NULL;
   -- Databases like PostgreSQL that have no notifications: gates read users again every second.
   EXCEPTION WHEN feature_not_supported OR undefined_function THEN RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_tell_user AFTER UPDATE OR DELETE ON latchkey_users
     FOR EACH ROW EXECUTE FUNCTION latchkey_tell_user();

   CREATE FUNCTION latchkey_tell_end() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     PERFORM pg_notify('latchkey_users', coalesce(NEW.user_id, OLD.user_id));
     RETURN NULL;
   EXCEPTION WHEN feature_not_supported OR undefined_function THEN RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_tell_end AFTER INSERT OR UPDATE ON latchkey_sessions
     FOR EACH ROW WHEN (NEW.ended_at IS NOT NULL) EXECUTE FUNCTION latchkey_tell_end();

   CREATE TRIGGER latchkey_tell_end AFTER DELETE ON latchkey_keys
     FOR EACH ROW EXECUTE FUNCTION latchkey_tell_end();

   CREATE FUNCTION latchkey_note_removal() RETURNS trigger LANGUAGE plpgsql
     SET search_path = pg_catalog, pg_temp AS $$
   BEGIN
     EXECUTE format('DELETE FROM %1$I.latchkey_configured
       WHERE NOT EXISTS (SELECT FROM %1$I.latchkey_users)', TG_TABLE_SCHEMA);
     IF TG_OP = 'TRUNCATE' THEN PERFORM pg_notify('latchkey_users', 'all'); END IF;
     RETURN NULL;
   END $$;
   CREATE TRIGGER latchkey_note_removal AFTER DELETE OR TRUNCATE ON latchkey_users
     FOR EACH STATEMENT EXECUTE FUNCTION latchkey_note_removal();

   -- Writers lock its one row, so that entries get their IDs in the order of the commits.
   CREATE TABLE latchkey_log_end (one boolean PRIMARY KEY CHECK (one), id bigint NOT NULL);
   INSERT INTO latchkey_log_end VALUES (true, 0);

   -- Chosen by the writer, so that an entry that is sent again is inserted once.
   ALTER TABLE latchkey_log ADD COLUMN key uuid NOT NULL UNIQUE;

   -- Not kept after a crash: nothing in it counts for longer than a minute.
   CREATE UNLOGGED TABLE latchkey_attempts (
     address text PRIMARY KEY,
     made timestamptz[] NOT NULL
   ) WITH (fillfactor = 50);`,

  `-- Serializable transactions keep two first accounts apart, and guards read accounts every second.
   DROP TRIGGER latchkey_note_user ON latchkey_users;
   DROP TRIGGER latchkey_tell_user ON latchkey_users;
   DROP TRIGGER latchkey_note_removal ON latchkey_users;
   DROP TRIGGER latchkey_tell_end ON latchkey_sessions;
   DROP TRIGGER latchkey_tell_end ON latchkey_keys;
   DROP FUNCTION latchkey_note_user();
   DROP FUNCTION latchkey_tell_user();
   DROP FUNCTION latchkey_note_removal();
   DROP FUNCTION latchkey_tell_end();
   DROP TABLE latchkey_configured;`,
];

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the full name of a table, so that the table does not depend on the `search_path`. */
export const qualifyName = (schema: string, table: string): string =>
  `${quoteName(schema)}.${getTableName(table)}`;

/** Only PostgreSQL needs these tables, in addition to those of `tables.ts`. */
const POSTGRES_TABLES = ["schema", "log_end", "attempts"];

/** Lists the full names of all tables. */
export const listFullNames = (schema: string): readonly string[] =>
  [...Object.keys(tables), ...POSTGRES_TABLES].map((name) => qualifyName(schema, name));

/**
 * Finds the schema of the tables through the connection's own `search_path`, or else the schema
 * that the path would create them in. The result is null if the path names no existing schema.
 */
export const FIND_SCHEMA: string = `SELECT to_regclass('latchkey_schema') IS NOT NULL AS made,
  coalesce(
    (SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE pg_class.oid = to_regclass('latchkey_schema')),
    current_schema()) AS schema`;

/**
 * Identifies the server with its standbys, the database, and the table whose full name is the
 * parameter.
 */
export const FIND_DATABASE_ID: string = `SELECT system_identifier::text, pg_database.oid AS database,
    to_regclass($1)::oid AS tables
  FROM pg_control_system(), pg_database
  WHERE datname = current_database()`;

/** PostgreSQL reports these codes when two instances create the same object at the same time. */
const CREATED_TWICE = ["42P07", "42710"];
const TRIES = 5;

/**
 * Migrates the tables completely or not at all, and returns their schema. Only reads, without a
 * lock, when the tables are up to date. When several instances start together, one instance
 * migrates, and the others wait for the lock on the version row.
 */
export async function migrate(
  { db, patientDb }: { readonly db: Db; readonly patientDb: Db },
  missing: "create" | "refuse",
): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    const { schema, version } = await findTables(db);
    refuseNewerSchema("the database", version);
    if (version === NEWEST_SCHEMA) return schema;
    if (version === 0 && missing === "refuse") {
      throw new Fault("database_missing", "this database has no Latchkey tables");
    }
    try {
      await migrateSchema(schema, patientDb);
    } catch (error) {
      if (left <= 1 || !isRace(error)) throw error;
    }
  }
}

const isRace = (error: unknown): boolean =>
  error instanceof TransactionConflict ||
  error instanceof UniqueViolation ||
  CREATED_TWICE.includes(getErrorCode(error) ?? "");

async function migrateSchema(schema: string, db: Db): Promise<void> {
  const versionTable = qualifyName(schema, "schema");
  await db.transaction().execute(async (trx) => {
    await runSql(
      trx,
      `CREATE TABLE IF NOT EXISTS ${versionTable} (one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)`,
    );
    await runSql(trx, `INSERT INTO ${versionTable} VALUES (true, 0) ON CONFLICT DO NOTHING`);
    // An instance that waited for the lock reads the version that the other instance has written.
    const [row] = await runSql(trx, `SELECT version FROM ${versionTable} FOR UPDATE`);
    // PostgreSQL creates new objects in this schema.
    await runSql(trx, `SET LOCAL search_path = ${quoteName(schema)}, pg_temp`);
    const from = Number(row?.version);
    for (let to = from + 1; to <= NEWEST_SCHEMA; to += 1) {
      const postgresChange = POSTGRES_CHANGES[to - 1];
      for (const change of listSchemaChanges(to, definitions)) await runSql(trx, change);
      if (postgresChange !== undefined) await runSql(trx, postgresChange);
    }
    if (from === 1) await noteAllNames(trx.withSchema(schema));
    await runSql(trx, `UPDATE ${versionTable} SET version = ${NEWEST_SCHEMA}`);
  });
}

async function findTables(db: Db): Promise<{ schema: string; version: number }> {
  const [schemaRow] = await runSql(db, FIND_SCHEMA);
  if (typeof schemaRow?.schema !== "string") {
    throw new Fault(
      "database_schema_missing",
      "the search_path of this database role names no existing schema that the role can use: create a schema for it, or grant it USAGE on one",
    );
  }
  const { schema } = schemaRow;
  if (schemaRow.made !== true) return { schema, version: 0 };
  const [row] = await runSql(db, `SELECT version FROM ${qualifyName(schema, "schema")}`);
  return { schema, version: Number(row?.version ?? 0) };
}
