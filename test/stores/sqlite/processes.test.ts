import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { NEWEST_SCHEMA } from "../../../src/stores/sqlite/schema.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { inDatabase } from "../../support/database.ts";
import { logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startScript } from "../processes.ts";

test("starts four processes without a database: one migrates and one inserts the first user", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const racers = ["a", "b", "c", "d"].map((name) =>
    startScript(t, "insert-first-user.ts", file, name),
  );
  for (const racer of racers) assert.equal(await racer.line(), "ready");
  for (const racer of racers) racer.goOn();
  const answers = await Promise.all(racers.map((racer) => racer.line()));
  assert.deepEqual([...answers].sort(), ["first", "second", "second", "second"]);

  inDatabase(file, (database) => {
    const users = database.prepare("SELECT username FROM users").all();
    assert.deepEqual(
      users.map(({ username }) => username),
      [["a", "b", "c", "d"][answers.indexOf("first")]],
    );
    assert.equal(database.prepare("PRAGMA user_version").get()?.user_version, NEWEST_SCHEMA);
    assert.equal(database.prepare("PRAGMA integrity_check").get()?.integrity_check, "ok");
  });
});

test("waits with a write for another process's lock while reads continue", async (t) => {
  const file = join(await tempDir(t), "latchkey.db");
  const store = await openSqlite({ file });
  t.after(() => store.close());
  const holder = startScript(t, "hold-lock.ts", file);
  assert.equal(await holder.line(), "held");

  let written = false;
  const writing = store.insertLogEntries([logEntry("waited")]).then(() => {
    written = true;
  });
  for (let i = 0; i < 100; i += 1) {
    assert.equal(await store.hasUsers(), false);
    assert.deepEqual(await store.readLogEntries({ afterId: 0, limit: 1 }), []);
  }
  assert.equal(written, false);
  holder.goOn();
  await writing;
  assert.equal(await holder.line(), "released");
  const [entry] = await store.readLogEntries({ afterId: 0, limit: 1 });
  assert.equal(entry?.summary, "waited");
});
