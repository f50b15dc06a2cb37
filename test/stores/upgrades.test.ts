/**
 * Upgrades a database of every kept schema. Each copy in `schemas` is a dump of what that schema's
 * own code has written, with rows in every table; its account is `OWNER`. Its name is the version
 * and the start of its SHA-256, because a copy is never edited. docs/releasing.md says how to make one.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkDatabase } from "../../src/doctor/database.ts";
import { NEWEST_SCHEMA as NEWEST_IN_POSTGRES } from "../../src/stores/postgres/schema.ts";
import { openPostgres, type PostgresStore } from "../../src/stores/postgres/store.ts";
import { NEWEST_SCHEMA as NEWEST_IN_SQLITE } from "../../src/stores/sqlite/schema.ts";
import { openSqlite, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { assertFound, findings } from "../doctor/installation.ts";
import { execute, inDatabase } from "../support/database.ts";
import { startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { keptSchemas } from "./kept-schemas.ts";

const server = await sharedPostgres();

type Rows = readonly unknown[];

/** A database of one test. */
interface Database {
  readonly env: Readonly<Record<string, string>>;
  load(sql: string): unknown;
  open(): Promise<SqliteStore | PostgresStore>;
  /** The rows of every table except that of the version, by its name. */
  rows(): Promise<Readonly<Record<string, Rows>>>;
  /** The definitions of all tables, indexes, constraints, triggers and functions, and the version. */
  schema(): Promise<Rows>;
}

async function sqlite(t: TestContext): Promise<Database> {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  const all = (sql: string) => inDatabase(file, (database) => database.prepare(sql).all());
  return {
    env: { DATA_DIR },
    load: (sql) => execute(file, sql),
    open: () => openSqlite({ file }),
    async rows() {
      const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table'");
      return Object.fromEntries(
        tables.map(({ name }) => [name, all(`SELECT * FROM ${name} ORDER BY 1`)]),
      );
    },
    schema: async () => [
      ...all("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"),
      ...all("PRAGMA user_version"),
    ],
  };
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

async function postgres(): Promise<Database> {
  const url = await server.newDatabase();
  return {
    env: { DATABASE_URL: url },
    load: (sql) => runSql(url, sql),
    open: () => openPostgres({ url }),
    async rows() {
      const tables = await runSql(
        url,
        `SELECT tablename FROM pg_tables
           WHERE schemaname = 'public' AND tablename <> 'latchkey_schema'`,
      );
      const rowsOf = ({ tablename }: (typeof tables)[number]) =>
        runSql(url, `SELECT to_jsonb(rows) AS row FROM ${tablename} AS rows ORDER BY 1`);
      const rows = tables.map(async (table) => [table.tablename, await rowsOf(table)] as const);
      return Object.fromEntries(await Promise.all(rows));
    },
    schema: () => runSql(url, POSTGRES_SCHEMA),
  };
}

const stores = [
  { name: "SQLite", kind: "sqlite", newest: NEWEST_IN_SQLITE, create: sqlite },
  { name: "PostgreSQL", kind: "postgres", newest: NEWEST_IN_POSTGRES, create: postgres },
] as const;

for (const { name, kind, newest, create } of stores) {
  const copies = keptSchemas(kind);

  test(`${name}: keeps a copy of every schema before the newest, as it was`, () => {
    const expected = copies.map(({ sql }, at) => {
      const digest = createHash("sha256").update(sql).digest("hex").slice(0, 8);
      return `${at + 1}-${digest}.sql`;
    });
    assert.deepEqual(
      copies.map(({ file }) => file),
      expected,
      "a kept copy is never edited: restore it from git",
    );
    const missing = `schema ${copies.length + 1} has no copy in test/stores/schemas/${kind}`;
    assert.ok(copies.length >= newest - 1, missing);
  });

  test(`${name}: goes on while a newer version adds to its tables`, async (t) => {
    const database = await create(t);
    await database.load(copies.at(-1)?.sql ?? "");
    const store = await database.open();
    const [users, version] =
      kind === "sqlite"
        ? ["users", "PRAGMA user_version = 99"]
        : ["latchkey_users", "UPDATE latchkey_schema SET version = 99"];
    const read = () => store.findUserByUsername("owner");
    const owner = await read();
    assert.ok(owner);
    await database.load(`ALTER TABLE ${users} ADD COLUMN later text; ${version}`);
    assert.deepEqual(await read(), owner);
    assert.deepEqual(await store.findUser(owner.id), owner);
    assert.ok(await store.insertUser({ username: "new", passwordHash: owner.passwordHash }));
    assert.equal((await store.readUsers({ afterId: "", limit: 9 })).length, 3);
    assert.equal(await store.replaceExtra(owner.id, "codes", undefined, "codes"), true);
    await store.insertLogEntries([logEntry("later")]);
    await store.close();
    await assert.rejects(database.open(), { code: "schema_newer" });
  });

  for (const [at, { sql }] of copies.entries()) {
    test(`${name}: upgrades schema ${at + 1} without changing what it holds`, async (t) => {
      const [fresh, database] = [await create(t), await create(t)];
      await (await fresh.open()).close();
      await database.load(sql);
      const { import_mark, latchkey_import_mark, ...before } = await database.rows();
      for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, table);

      const instances = await Promise.all([database.open(), database.open()]);
      for (const store of instances) {
        const users = await store.readUsers({ afterId: "", limit: 9 });
        assert.ok(users.some(({ username }) => username === "owner"));
        await store.close();
      }
      const after = await database.rows();
      for (const [table, rows] of Object.entries(before)) {
        assert.equal(after[table]?.length, rows.length, table);
      }
      assert.partialDeepStrictEqual(after, before);
      assert.deepEqual(await database.schema(), await fresh.schema());
    });

    test(`${name}: signs in with the password of schema ${at + 1}`, async (t) => {
      const database = await create(t);
      await database.load(sql);
      const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = database.env;
      const gate = await startGate(t, {
        ...(dataDir === undefined ? {} : { dataDir }),
        databaseUrl,
      });
      const old = (await gate.logEntries(0)).map(({ summary }) => summary);
      assert.deepEqual(old.slice(0, 4), [
        "Created account owner",
        "Signed in as owner",
        "Changed password",
        "Rate limited login from 127.0.0.1",
      ]);
      const { location, session } = await gate.signIn();
      assert.equal(location, "/");
      assert.equal((await gate.send("/account/", { session })).status, 200);
      const entries = await gate.logEntries(old.length + 1);
      const summaries = entries.map(({ summary }) => summary);
      assert.deepEqual(summaries, [...old, "Signed in as owner"]);
      assertFound(await findings(checkDatabase, { env: database.env }), [
        "ok",
        new RegExp(`schema ${newest}$`),
      ]);
    });
  }
}
