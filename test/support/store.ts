import { join } from "node:path";
import type { TestContext } from "node:test";
import { openSqlite, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { tempDir } from "./temp-dir.ts";

export { add, hashText, logEntry } from "../../src/testing/samples.ts";

/** A real store with its own file, closed and removed after the test. */
export async function openStore(t: TestContext): Promise<SqliteStore> {
  const store = await openSqlite({ file: join(await tempDir(t), "latchkey.db") });
  t.after(() => store.close());
  return store;
}
