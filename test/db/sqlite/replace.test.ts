import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { replaceDatabase } from "../../../src/db/sqlite/replace.ts";
import { filled } from "../../cli/transfer/backup-place.ts";
import { execute, inDatabase } from "../../support/database.ts";

/** Both databases are closed; the new one is next to the old one. */
async function place(t: TestContext, old: readonly string[], by: readonly string[]) {
  const { database: file } = await filled(t, old, 1);
  const { database } = await filled(t, by, 1);
  const unfinished = join(dirname(file), "new");
  await writeFile(unfinished, await readFile(database));
  return { file, by: unfinished, over: "any", keptAs: `${file}.kept` } as const;
}

test("refuses a database without accounts in place of one that has or may have accounts", async (t) => {
  for (const change of [
    "SELECT 1",
    "PRAGMA journal_mode = WAL",
    "DELETE FROM latchkey_users; PRAGMA user_version = 99",
    "DELETE FROM latchkey_users; CREATE VIEW other AS SELECT 1",
    "DELETE FROM latchkey_users; PRAGMA user_version = 0",
  ]) {
    const replacement = await place(t, ["owner"], []);
    execute(replacement.file, change);
    const before = await readFile(replacement.file);
    assert.throws(() => replaceDatabase(replacement), { code: "accounts_lost" }, change);
    assert.deepEqual(await readdir(dirname(replacement.file)), ["latchkey.db", "new"]);
    if (!change.includes("WAL"))
      assert.equal((await readFile(replacement.file)).length, before.length);
  }
});

test("refuses a database without accounts in place of a damaged one", async (t) => {
  const replacement = await place(t, ["owner"], []);
  await writeFile(replacement.file, "damaged");
  assert.throws(() => replaceDatabase(replacement), { code: "accounts_lost" });
  assert.equal(await readFile(replacement.file, "utf8"), "damaged");
});

test("replaces an empty file and a database without accounts by another without accounts", async (t) => {
  for (const isEmptied of [true, false]) {
    const replacement = await place(t, [], []);
    const by = await readFile(replacement.by);
    if (isEmptied) await writeFile(replacement.file, "");
    replaceDatabase(replacement);
    assert.deepEqual(await readFile(replacement.file), by);
  }
});

test("refuses to replace a database that was created meanwhile", async (t) => {
  const replacement = { ...(await place(t, ["owner"], ["other"])), over: "nothing" } as const;
  const before = await readFile(replacement.file);
  assert.throws(() => replaceDatabase(replacement), { code: "database_exists" });
  assert.deepEqual(await readFile(replacement.file), before);
});

test("refuses while another connection is open, also with a schema that cannot be loaded", async (t) => {
  for (const change of ["", "CREATE VIEW other AS SELECT lower(username) FROM latchkey_users"]) {
    const replacement = await place(t, ["owner"], ["other"]);
    inDatabase(replacement.file, (database) => {
      database.exec(`${change}; UPDATE latchkey_users SET username = 'renamed'`);
      assert.throws(() => replaceDatabase(replacement), { code: "database_in_use" }, change);
    });
    replaceDatabase(replacement);
    const kept = inDatabase(replacement.keptAs, (old) =>
      old.prepare("SELECT * FROM latchkey_users").get(),
    );
    assert.equal(kept?.username, "renamed");
  }
});

test("gives every file its old name back after a failure", async (t) => {
  const replacement = await place(t, ["owner"], ["other"]);
  const { file, keptAs } = replacement;
  await writeFile(file, "damaged");
  await writeFile(`${file}-wal`, "log");
  await writeFile(`${file}-shm`, "index");
  await mkdir(`${keptAs}-shm`);
  assert.throws(() => replaceDatabase(replacement), { code: "EISDIR" });
  const names = [
    "latchkey.db",
    "latchkey.db-shm",
    "latchkey.db-wal",
    "latchkey.db.kept-shm",
    "new",
  ];
  assert.deepEqual((await readdir(dirname(file))).toSorted(), names);
  assert.equal(await readFile(file, "utf8"), "damaged");
  assert.equal(await readFile(`${file}-wal`, "utf8"), "log");
});
