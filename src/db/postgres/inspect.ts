import type pg from "pg";
import {
  createContentQueries,
  type DatabaseContents,
  type DatabaseInspection,
  toContents,
} from "../inspection.ts";
import type { RawRow } from "../rows.ts";
import { NEWEST_SCHEMA } from "../schema.ts";
import { findMissingParts, type MissingPart, type RunQuery } from "./missing-parts.ts";
import { useConnection } from "./pool.ts";
import { FIND_DATABASE_ID, FIND_SCHEMA, listFullNames, qualifyName } from "./schema.ts";
import { type PostgresHost, type PostgresLogin, parsePostgresUrl } from "./url.ts";

const ANSWER_WITHIN_MS = 2_000;
const LIMITS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: ANSWER_WITHIN_MS,
  query_timeout: ANSWER_WITHIN_MS,
  application_name: "latchkey doctor",
};

export type PostgresInspection =
  | AnsweringHost
  | { readonly kind: "silent"; readonly host: string; readonly reason: unknown };

/**
 * The pattern matches databases that are compatible with PostgreSQL and accept writes on several
 * nodes.
 */
const MANY_WRITERS = "CockroachDB|-YB-";

interface AnsweringHost {
  readonly kind: "answers";
  readonly host: string;
  readonly version: string;
  readonly role: "primary" | "standby";
  readonly connection: "encrypted" | "plain" | "socket";
  /** The database's clock is ahead of this machine's clock by this time. */
  readonly aheadMs: number;
  readonly database: DatabaseInspection;
  readonly missing: readonly MissingPart[];
  /** True if the role or the database is set to read only. */
  readonly isReadOnly: boolean;
  /** Lists the tables that the role may not read and write. */
  readonly denied: readonly string[];
  /**
   * The start time differs between two servers. It is `undefined` if several nodes of the database
   * accept writes.
   */
  readonly startedAt: string | undefined;
  readonly creators: readonly Creator[];
  readonly databaseId: string | undefined;
}

/**
 * Describes a role, other than owners and superusers, that may create objects beside Latchkey's
 * tables.
 */
interface Creator {
  /** The target has the form of SQL: `SCHEMA public` or `DATABASE latchkey`. */
  readonly target: string;
  readonly role: string;
}

/** Inspects each host of the URL separately, in read-only transactions. */
export function inspectPostgres(url: string): Promise<readonly PostgresInspection[]> {
  const { hosts, login } = parsePostgresUrl(url);
  return Promise.all(hosts.map((host) => inspectHost(host, login)));
}

async function inspectHost(host: PostgresHost, login: PostgresLogin): Promise<PostgresInspection> {
  try {
    return await useConnection({ ...LIMITS, ...login, ...host }, (client) => {
      return inspectServer(client, host);
    });
  } catch (error) {
    return { kind: "silent", host: `${host.host}:${host.port}`, reason: error };
  }
}

async function inspectServer(
  client: pg.Client,
  { host, port }: PostgresHost,
): Promise<AnsweringHost> {
  const query: RunQuery = async (text, values) => (await client.query<RawRow>(text, values)).rows;
  await query("BEGIN TRANSACTION READ ONLY");
  const [schemaRow] = await query(FIND_SCHEMA);
  const schema = String(schemaRow?.schema);
  const askedAt = Date.now();
  const [state] = await query(
    `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
       current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
       current_setting('default_transaction_read_only') = 'on' AS read_only,
       pg_postmaster_start_time()::text AS started, version() ~ '${MANY_WRITERS}' AS many,
       (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl`,
  );
  const halfway = (askedAt + Date.now()) / 2;
  const network = state?.ssl === true ? "encrypted" : "plain";
  return {
    kind: "answers",
    host: `${host}:${port}`,
    version: String(state?.version),
    role: state?.standby === true ? "standby" : "primary",
    connection: host.startsWith("/") ? "socket" : network,
    aheadMs: Number(state?.now) - halfway,
    startedAt: state?.many === true ? undefined : String(state?.started),
    isReadOnly: state?.read_only === true,
    ...(await inspectTables(query, schema, schemaRow?.made === true)),
    creators: await listCreators(query, schema),
    // This query must be the last, since a failed query ends the transaction.
    databaseId: await readDatabaseId(query, schema),
  };
}

/**
 * Returns `undefined` if the role lacks the permission, or if the server is only compatible with
 * PostgreSQL.
 */
async function readDatabaseId(query: RunQuery, schema: string): Promise<string | undefined> {
  const [row] = await query(FIND_DATABASE_ID, [qualifyName(schema, "schema")]).catch(() => []);
  return row && `${row.system_identifier}:${row.database}:${row.tables}`;
}

async function inspectTables(
  query: RunQuery,
  name: string,
  hasTables: boolean,
): Promise<Pick<AnsweringHost, "database" | "missing" | "denied">> {
  const difference = await findForeignObject(query, name);
  const isRead = hasTables && difference === undefined;
  const [row] = isRead ? await query(`SELECT version FROM ${qualifyName(name, "schema")}`) : [];
  const schema = Number(row?.version ?? 0);
  if (schema <= 0 || schema > NEWEST_SCHEMA) {
    return { database: { schema, difference, contents: undefined }, missing: [], denied: [] };
  }
  // An older schema is not checked, since it is upgraded first.
  const missing = schema === NEWEST_SCHEMA ? await findMissingParts(query, name) : [];
  const denied = await listDeniedTables(query, name);
  // A query fails on a table that is denied or incomplete.
  const isReadable = denied.length === 0 && missing.every(({ repair }) => repair !== undefined);
  const contents = isReadable ? await readContents(query, name, schema) : undefined;
  return { database: { schema, difference, contents }, missing, denied };
}

async function readContents(
  query: RunQuery,
  name: string,
  schema: number,
): Promise<DatabaseContents> {
  const queries = createContentQueries((table) => qualifyName(name, table), schema);
  return toContents({
    users: await query(queries.users),
    groups: await query(queries.groups),
    codes: await query(queries.codes),
    tokens: await query(queries.tokens),
  });
}

/**
 * Finds a trigger, rule, policy, view or child table that acts on Latchkey's tables and that the
 * migrations do not create. Reads only PostgreSQL's own tables.
 */
async function findForeignObject(query: RunQuery, schema: string): Promise<string | undefined> {
  const [foreign] = await query(ACTING_OBJECTS, [listFullNames(schema)]);
  return foreign && `the ${foreign.kind} ${foreign.name} is not Latchkey's`;
}

/** Schema 1 has these triggers, and its upgrade drops them. */
const FIRST_TRIGGERS =
  "{latchkey_note_user,latchkey_tell_user,latchkey_tell_end,latchkey_note_removal}";

const ACTING_OBJECTS = `
  WITH own AS (
    SELECT pg_class.oid, relname, relkind
    FROM unnest($1::text[]) AS each (name) JOIN pg_class ON pg_class.oid = to_regclass(each.name)
  )
  SELECT 'view' AS kind, quote_ident(relname) AS name FROM own WHERE relkind <> 'r'
  UNION ALL SELECT 'trigger', quote_ident(tgname)
    FROM own JOIN pg_trigger ON tgrelid = own.oid
    WHERE NOT tgisinternal AND tgname <> ALL ('${FIRST_TRIGGERS}')
  UNION ALL SELECT 'rule', quote_ident(rulename) FROM own JOIN pg_rewrite ON ev_class = own.oid
  UNION ALL SELECT 'policy', quote_ident(polname) FROM own JOIN pg_policy ON polrelid = own.oid
  UNION ALL SELECT 'child table', inhrelid::regclass::text
    FROM own JOIN pg_inherits ON inhparent = own.oid`;

async function listDeniedTables(query: RunQuery, schema: string): Promise<readonly string[]> {
  const rows = await query(
    `SELECT oid::regclass::text AS denied FROM pg_class
     WHERE oid = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS each (name))
       AND NOT (SELECT bool_and(has_table_privilege(oid, privilege))
         FROM unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS each (privilege))
     ORDER BY denied`,
    [listFullNames(schema).filter((name) => name !== qualifyName(schema, "schema"))],
  );
  return rows.map(({ denied }) => String(denied));
}

async function listCreators(query: RunQuery, schema: string): Promise<readonly Creator[]> {
  const rows = await query(
    `SELECT DISTINCT place, coalesce(quote_ident(rolname), 'PUBLIC') AS role
     FROM pg_database, LATERAL (
       SELECT 'SCHEMA ' || quote_ident(nspname), nspowner, coalesce(nspacl, acldefault('n', nspowner))
       FROM pg_namespace WHERE nspname = $1
       UNION ALL
       SELECT 'DATABASE ' || quote_ident(datname), datdba, coalesce(datacl, acldefault('d', datdba))
     ) AS each (place, owner, acl), aclexplode(acl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
     WHERE datname = current_database() AND privilege_type = 'CREATE'
       AND grantee NOT IN (owner, datdba) AND rolsuper IS NOT TRUE
       AND rolname IS DISTINCT FROM current_user
       AND NOT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass($2) AND relowner = grantee)
     ORDER BY place DESC, role`,
    [schema, qualifyName(schema, "schema")],
  );
  return rows.map(({ place: target, role }) => ({ target: String(target), role: String(role) }));
}
