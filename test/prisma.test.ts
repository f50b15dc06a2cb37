import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../src/db/sqlite/store.ts";
import { listExternalTables } from "../src/prisma.ts";
import { valuesOf } from "./support/database.ts";
import { sharedPostgres } from "./support/postgres-shared.ts";
import { tempDir } from "./support/temp-dir.ts";

const postgres = await sharedPostgres();

test("the list has each table of a PostgreSQL database, with its schema", async () => {
  const { pathname } = new URL(await postgres.newStoreDatabase());
  const ask = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'";
  const rows = await postgres.sql(ask, pathname.slice(1));
  const names = rows.map((row) => `public.${Object(row).name}`);
  assert.deepEqual(names.sort(), listExternalTables("public").sort());
});

test("the list has each table of an SQLite database", async (t) => {
  const file = join(await tempDir(t), "accounts.db");
  const store = await openSqlite({ file });
  await store.close();
  const ask = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  const names = valuesOf(file, ask).map(([name]) => String(name));
  assert.ok(names.length > 20);
  assert.deepEqual(
    names.filter((name) => !listExternalTables().includes(name)),
    [],
  );
});
