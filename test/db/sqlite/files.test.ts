import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { Fault, getErrorCode } from "../../../src/lib/fault.ts";
import { execute, inDatabase } from "../../support/database.ts";
import { hashText, logEntry, newFile, openStore } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const codeIs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code;

test("syncs commits to the disk with synchronous FULL", async (t) => {
  const prepare = t.mock.method(DatabaseSync.prototype, "prepare");
  await openStore(t, await newFile(t));
  const connection = prepare.mock.calls[0]?.this;
  assert.ok(connection instanceof DatabaseSync);
  assert.equal(connection.prepare("PRAGMA synchronous").get()?.synchronous, 2);
});

test("creates files that only the owner can read, whatever the umask", async (t) => {
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const file = await newFile(t);
  const store = await openStore(t, file);
  await store.log.insert([logEntry("something to write")]);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(path), "600", path);
});

test("restricts an existing database and the files beside it to their owner", async (t) => {
  const file = await newFile(t);
  const other = await openStore(t, file);
  await other.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  for (const path of [file, `${file}-wal`, `${file}-shm`]) chmodSync(path, 0o644);
  await openStore(t, file);
  for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(path), "600", path);
});

test("refuses a missing database without creating it", async (t) => {
  const dir = await tempDir(t);
  const file = join(dir, "latchkey.db");
  await assert.rejects(openSqlite({ file, missing: "refuse" }), (error) => {
    assert.ok(codeIs("database_missing")(error));
    assert.ok(error instanceof Error && error.message.includes(file), "it names the file");
    return true;
  });
  assert.deepEqual(readdirSync(dir), []);
});

test("refuses a file that is not a database and leaves it unchanged", async (t) => {
  const file = await newFile(t);
  const content = "This is not a database.\n".repeat(100);
  writeFileSync(file, content);
  await assert.rejects(openSqlite({ file }), /not a database/);
  assert.equal(readFileSync(file, "utf8"), content);
});

test("refuses a folder as the file, and a missing folder", async (t) => {
  const dir = await tempDir(t);
  const { mode } = statSync(dir);
  await assert.rejects(
    openSqlite({ file: dir }),
    (error) => getErrorCode(error) === "ERR_SQLITE_ERROR",
  );
  assert.equal(statSync(dir).mode, mode);
  const file = join(dir, "missing", "latchkey.db");
  await assert.rejects(openSqlite({ file }), { code: "database_unwritable" });
  assert.equal(existsSync(join(dir, "missing")), false);
});

test("refuses a database of a newer version and leaves it unchanged", async (t) => {
  const file = await newFile(t);
  const first = await openSqlite({ file });
  await first.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  first.close();
  execute(file, "PRAGMA user_version = 99; ALTER TABLE latchkey_users ADD COLUMN since TEXT;");
  const before = readFileSync(file);
  for (const missing of ["create", "refuse"] as const) {
    await assert.rejects(openSqlite({ file, missing }), codeIs("schema_newer"));
    assert.ok(readFileSync(file).equals(before), "byte for byte");
  }
});

test("rolls a failed migration back", async (t) => {
  const file = await newFile(t);
  // The first of the tables can be made, the second is in the way.
  execute(file, "CREATE TABLE latchkey_log (something_else TEXT); PRAGMA user_version = 0;");
  await assert.rejects(
    openSqlite({ file }),
    /already another table or index with this name: latchkey_log/,
  );
  inDatabase(file, (database) => {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const names = tables.map(({ name }) => name);
    assert.deepEqual(names, ["latchkey_log"]);
    assert.equal(database.prepare("PRAGMA user_version").get()?.user_version, 0);
  });
});

test("does not write when it opens an up-to-date database", async (t) => {
  const file = await newFile(t);
  (await openSqlite({ file })).close();
  const before = readFileSync(file);
  (await openSqlite({ file })).close();
  assert.ok(readFileSync(file).equals(before));
});
