import { join } from "node:path";
import type { TestContext } from "node:test";
import type { NewLogEntry, PasswordHash } from "../../src/core/store.ts";
import { openSqlite, type SqliteStore } from "../../src/stores/sqlite.ts";
import { tempDir } from "./temp-dir.ts";

/** A real store with a file of its own, closed and gone when the test is over. */
export async function openStore(t: TestContext): Promise<SqliteStore> {
  const store = await openSqlite({ file: join(await tempDir(t), "latchkey.db") });
  t.after(() => store.close());
  return store;
}

/** Stands for a hash where nothing verifies it. */
export const hashText = (text: string): PasswordHash => text as PasswordHash;

export function logEntry(summary: string, fields: Partial<NewLogEntry> = {}): NewLogEntry {
  return { at: new Date(1_000), type: "signin", author: "system", ...fields, summary };
}
