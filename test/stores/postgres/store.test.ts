import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../../src/core/store.ts";
import { type Open, testStore } from "../../../src/testing/index.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openOnPool } from "../../support/postgres-store.ts";

const server = await sharedPostgres();

const NAME = "PostgreSQL through the caller's pool";

/** Two parts: all use the pool in the same two ways, for a statement and for a transaction. */
const open: Open<Store> = async (t) => {
  const url = await server.newStoreDatabase();
  const connect = async (): Promise<Store> => {
    const { users, log } = (await openOnPool(t, url)).store;
    return { users, log };
  };
  return { connect };
};

testStore(NAME, open);

test(`${NAME}: leaves the pool open`, async (t) => {
  const { store, pool } = await openOnPool(t, await server.newStoreDatabase());
  await store.close();
  assert.equal((await pool.query("SELECT 1")).rowCount, 1);
});
