import type { TestContext } from "node:test";
import pg from "pg";
import { openPostgres, type PostgresStore } from "../../../src/stores/postgres/store.ts";
import { type Open, testLogReader, testSessions, testStore } from "../../../src/testing/index.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openStoreAt } from "../../support/postgres-store.ts";

const server = await sharedPostgres();

const byUrl: Open<PostgresStore> = async (t) => {
  const url = await server.newDatabase();
  return { connect: () => openStoreAt(t, url) };
};

/** Each connection has a pool of the caller's, which the store leaves open. */
const byPool: Open<PostgresStore> = async (t) => {
  const url = await server.newDatabase();
  return { connect: () => openOnPool(t, new pg.Pool({ connectionString: url, max: 4 })) };
};

async function openOnPool(t: TestContext, pool: pg.Pool): Promise<PostgresStore> {
  const store = await openPostgres({ pool });
  t.after(async () => {
    await store.close();
    await pool.query("SELECT 1");
    await pool.end();
  });
  return store;
}

for (const [name, open] of [
  ["PostgreSQL by its URL", byUrl],
  ["PostgreSQL through the caller's pool", byPool],
] as const) {
  testStore(name, open);
  testLogReader(name, open);
  testSessions(name, open);
}
