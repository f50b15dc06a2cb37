import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { openSqlite, type SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { type Database, testStore } from "../../../src/testing/index.ts";
import { parts } from "../either.ts";

const IN_MEMORY = { file: ":memory:" };

/** A database in memory has one connection. */
async function fresh(t: TestContext): Promise<Database<SqliteStore>> {
  const store = await openSqlite(IN_MEMORY);
  t.after(() => store.close());
  return { connect: async () => store };
}

testStore("SQLite in memory", fresh, parts);

test("SQLite in memory: each store is a database without a file", async (t) => {
  const [one, other] = [await fresh(t), await fresh(t)];
  const store = await one.connect();
  await store.users.insertFirst({ username: "owner", passwordHash: "hash" as never });
  assert.equal(await (await other.connect()).users.any(), false);
  assert.equal(existsSync(":memory:"), false);
});

test("SQLite in memory: there is no database to continue with", async () => {
  const opening = openSqlite({ ...IN_MEMORY, missing: "refuse" });
  await assert.rejects(opening, { code: "database_missing" });
});
