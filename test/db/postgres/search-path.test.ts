import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../../src/db/postgres/store.ts";
import { runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openOnPool, openStoreAt } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";

const server = await sharedPostgres();

const OWNER = { username: "owner", passwordHash: hashText("a hash") };

test("creates the tables in the first existing schema of the search_path, and finds them after a rename", async (t) => {
  const url = await server.newDatabase();
  await runSql(url, `CREATE SCHEMA "Own ""one"""`);
  const at = (schema: string) =>
    `${url}?options=${encodeURIComponent(`-c search_path=missing,${schema.replaceAll(" ", "\\ ")},public`)}`;
  const store = await openStoreAt(t, at(`"Own ""one"""`));
  await store.users.insertFirst(OWNER);
  const places = "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'latchkey%'";
  assert.deepEqual(await runSql(url, places), [{ schemaname: 'Own "one"' }]);

  await runSql(url, `ALTER SCHEMA "Own ""one""" RENAME TO renamed`);
  const again = await openStoreAt(t, at("renamed"));
  assert.equal(await again.users.insertFirst(OWNER), undefined);
  assert.notEqual(await again.users.insert({ ...OWNER, username: "second" }), undefined);
  assert.deepEqual(await runSql(url, places), [{ schemaname: "renamed" }]);
});

test("refuses a search_path without an existing schema", async () => {
  const url = `${await server.newDatabase()}?options=-c%20search_path%3Dmissing`;
  await assert.rejects(openPostgres({ url }), { code: "database_schema_missing" });
});

test("does not change the search_path of connections in the caller's pool", async (t) => {
  const url = await server.newDatabase();
  const { store, pool } = await openOnPool(t, `${url}?options=-c%20search_path%3Dmine%2Cpublic`);
  await store.users.insertFirst(OWNER);
  await store.transfer.readAmounts();
  const paths = await Promise.all(
    Array.from({ length: pool.totalCount }, () => pool.query("SHOW search_path")),
  );
  for (const { rows } of paths) assert.deepEqual(rows, [{ search_path: "mine,public" }]);
});
