import type { TestContext } from "node:test";
import { openPostgres, type PostgresStore } from "../../src/stores/postgres/store.ts";

/** A store in that database, closed after the test. */
export async function openStoreAt(t: TestContext, url: string): Promise<PostgresStore> {
  const store = await openPostgres({ url });
  t.after(() => store.close());
  return store;
}
