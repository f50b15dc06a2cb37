import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqlite, type SqliteStore } from "../../../src/stores/sqlite/store.ts";
import {
  type Database,
  testLogReader,
  testSessions,
  testStore,
} from "../../../src/testing/index.ts";
import { inDatabase } from "../../support/database.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function freshDatabase(t: TestContext): Promise<Database<SqliteStore>> {
  const file = join(await tempDir(t), "latchkey.db");
  const connections: SqliteStore[] = [];
  t.after(() => {
    for (const store of connections) store.close();
  });
  return {
    async connect() {
      const store = await openSqlite({ file });
      connections.push(store);
      return store;
    },
  };
}

testStore("SQLite", freshDatabase);
testLogReader("SQLite", freshDatabase);
testSessions("SQLite", freshDatabase);

test("SQLite: stores and matches a username with a NUL", async (t) => {
  const store = await openSqlite({ file: join(await tempDir(t), "latchkey.db") });
  t.after(() => store.close());
  await store.insertFirstUser({ username: "own\0er", passwordHash: hashText("hash") });
  assert.equal((await store.findUserByUsername("own\0er"))?.username, "own\0er");
  assert.equal(await store.findUserByUsername("own"), undefined);
  assert.equal(await store.findUserByUsername("own\0other"), undefined);
});

test("SQLite: keeps data after closing and reopening", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const first = await openSqlite({ file });
  const user = await first.insertFirstUser({ username: "owner", passwordHash: hashText("hash") });
  await first.insertLogEntries([logEntry("kept")]);
  first.close();
  const second = await openSqlite({ file, missing: "refuse" });
  t.after(() => second.close());
  assert.equal((await second.findUserByUsername("owner"))?.id, user?.id);
  assert.equal((await second.readLogEntries({ afterId: 0, limit: 1 }))[0]?.summary, "kept");
});

test("SQLite: never reuses an entry ID, even after deleting the newest entry", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  await store.insertLogEntries([logEntry("first"), logEntry("second")]);
  inDatabase(file, (database) => database.exec("DELETE FROM log_entries WHERE id = 2"));
  await store.insertLogEntries([logEntry("third")]);
  const entries = await store.readLogEntries({ afterId: 0, limit: 10 });
  assert.deepEqual(
    entries.map(({ id }) => id),
    [1, 3],
  );
});

test("SQLite: uses a WAL and STRICT tables", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  inDatabase(file, (database) => {
    assert.deepEqual({ ...database.prepare("PRAGMA journal_mode").get() }, { journal_mode: "wal" });
    const tables = database
      .prepare("SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'")
      .all();
    assert.deepEqual(
      tables
        .map((table) => ({ ...table }))
        .sort((a, b) => String(a.name).localeCompare(String(b.name))),
      [
        { name: "log_entries", strict: 1 },
        { name: "sessions", strict: 1 },
        { name: "users", strict: 1 },
      ],
    );
  });
});
