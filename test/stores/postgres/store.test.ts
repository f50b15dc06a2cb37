import assert from "node:assert/strict";
import { test } from "node:test";
import type { PostgresStore } from "../../../src/stores/postgres/store.ts";
import { type Open, testStore } from "../../../src/testing/index.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openOnPool } from "../../support/postgres-store.ts";
import { parts } from "../either.ts";

const server = await sharedPostgres();

const NAME = "PostgreSQL through the caller's pool";

const open: Open<PostgresStore> = async (t) => {
  const url = await server.newDatabase();
  return { connect: async () => (await openOnPool(t, url)).store };
};

testStore(NAME, open, [...parts, "attempts"]);

test(`${NAME}: leaves the pool open`, async (t) => {
  const { store, pool } = await openOnPool(t, await server.newDatabase());
  await store.close();
  assert.equal((await pool.query("SELECT 1")).rowCount, 1);
});
