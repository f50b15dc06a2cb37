import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import type { Around } from "../../src/db/operations.ts";
import { migrate } from "../../src/db/sqlite/schema.ts";
import { createSqliteStore, openSqlite, type SqliteStore } from "../../src/db/sqlite/store.ts";
import { tempDir } from "./temp-dir.ts";

export { addTo, hashText, logEntry } from "../db/suite/samples.ts";

/** The path of a database that does not exist yet, in a folder of its own. */
export const newFile = async (t: TestContext): Promise<string> =>
  join(await tempDir(t), "latchkey.db");

/** A real store, closed after the test, with a file of its own if none is given. */
export async function openStore(t: TestContext, file?: string): Promise<SqliteStore> {
  const store = await openSqlite({ file: file ?? (await newFile(t)) });
  t.after(() => store.close());
  return store;
}

/** A real store in memory, of which each operation runs as `around` decides. */
export async function openStoreAround(t: TestContext, around: Around): Promise<SqliteStore> {
  const database = new DatabaseSync(":memory:");
  await migrate(database);
  const store = createSqliteStore(database, undefined, around);
  t.after(() => store.close());
  return store;
}

/** The summaries of all entries, the oldest first. */
export const summariesIn = async (store: Pick<SqliteStore, "log">): Promise<readonly string[]> =>
  (await store.log.read({ afterId: 0, limit: 20_000 })).map(({ summary }) => summary);
