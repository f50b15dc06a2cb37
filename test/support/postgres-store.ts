import type { TestContext } from "node:test";
import pg from "pg";
import { openPostgres, type PostgresStore } from "../../src/stores/postgres/store.ts";

/** A store in that database, closed after the test. */
export async function openStoreAt(t: TestContext, url: string): Promise<PostgresStore> {
  const store = await openPostgres({ url });
  t.after(() => store.close());
  return store;
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
