import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../../src/db/store.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openOnPool } from "../../support/postgres-store.ts";
import type { Open } from "../suite/database.ts";
import { testStore } from "../suite/store-suite.ts";

const server = await sharedPostgres();

const NAME = "PostgreSQL through the caller's pool";

const open: Open<Store> = async (t) => {
  const url = await server.newStoreDatabase();
  return { connect: async () => (await openOnPool(t, url)).store };
};

// Users and log: all parts use the pool in the same two ways, for a statement and for a transaction.
testStore(NAME, open);

test(`${NAME}: leaves the pool open`, async (t) => {
  const { store, pool } = await openOnPool(t, await server.newStoreDatabase());
  await store.close();
  assert.equal((await pool.query("SELECT 1")).rowCount, 1);
});
