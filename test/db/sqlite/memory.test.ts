import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import type { Database } from "../suite/database.ts";
import { testStore } from "../suite/store-suite.ts";

const IN_MEMORY = { file: ":memory:" };

/** A database in memory has one connection, and nothing else of its own: users and log show that. */
async function fresh(t: TestContext): Promise<Database> {
  const store = await openSqlite(IN_MEMORY);
  t.after(() => store.close());
  return { connect: async () => store };
}

testStore("SQLite in memory", fresh);

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
