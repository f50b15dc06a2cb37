import type { TestContext } from "node:test";
import pg from "pg";
import { openPostgres, type PostgresStore } from "../../src/db/postgres/store.ts";
import type { PostgresAccess } from "./postgres.ts";

/** A store in that database, closed after the test. */
export async function openStoreAt(t: TestContext, url: string): Promise<PostgresStore> {
  const store = await openPostgres({ url });
  t.after(() => store.close());
  return store;
}

/** A store in a new database of the server. */
export async function openNewStore(
  t: TestContext,
  server: PostgresAccess,
): Promise<{ readonly url: string; readonly store: PostgresStore }> {
  const url = await server.newStoreDatabase();
  return { url, store: await openStoreAt(t, url) };
}

/** A store on a pool of the caller's, and the pool, both closed after the test. */
export async function openOnPool(
  t: TestContext,
  url: string,
): Promise<{ readonly store: PostgresStore; readonly pool: pg.Pool }> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => undefined);
  const store = await openPostgres({ pool });
  t.after(() => store.close().then(() => pool.end()));
  return { store, pool };
}
