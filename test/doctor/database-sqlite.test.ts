import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkDatabase } from "../../src/doctor/database.ts";
import { inspectSqlite } from "../../src/stores/sqlite/inspect.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { execute, inDatabase } from "../support/database.ts";
import { startGate } from "../support/gate.ts";
import { hashText, logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

/** A closed database with more than one page. */
async function closedDatabase(t: TestContext) {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  const store = await openSqlite({ file });
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  await store.log.insert(Array.from({ length: 500 }, () => logEntry("Signed in as owner")));
  store.close();
  return { DATA_DIR, file };
}

/** Names, sizes, modification times and content of all files in a folder. */
async function stateOf(folder: string): Promise<readonly unknown[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { name, size, mtimeMs, bytes: await readFile(join(folder, name), "base64") };
    }),
  );
}

const checkAt = (DATA_DIR: string) => findings(checkDatabase, { env: { DATA_DIR } });

test("reports ok for an intact database, and changes nothing", async (t) => {
  const { DATA_DIR } = await closedDatabase(t);
  const before = await stateOf(DATA_DIR);
  assertFound(await checkAt(DATA_DIR), ["ok", /is intact and has schema \d+$/]);
  assert.deepEqual(await stateOf(DATA_DIR), before);
});

test("reads the current state of a running gate's database, and changes nothing", async (t) => {
  const gate = await startGate(t);
  assert.equal((await inspectSqlite(gate.databaseFile)).contents?.hasUsers, false);
  await gate.setUp();
  await gate.logEntries(1);
  const before = await stateOf(gate.dataDir);
  assertFound(await checkAt(gate.dataDir), ["ok", /is intact/]);
  assert.equal((await inspectSqlite(gate.databaseFile)).contents?.hasUsers, true);
  assert.deepEqual(await stateOf(gate.dataDir), before);
});

/** A database as a killed gate leaves it. */
async function abandoned(t: TestContext): Promise<string> {
  const { DATA_DIR: from, file } = await closedDatabase(t);
  const to = join(await tempDir(t), "data");
  inDatabase(file, (database) => {
    database.exec("UPDATE users SET username = 'renamed'");
    cpSync(from, to, { recursive: true });
  });
  assert.equal((await readdir(to)).length, 3, "with the write-ahead log and its index");
  return to;
}

test("reads the database of a killed gate, also without the index of its log, and changes nothing", async (t) => {
  const folder = await abandoned(t);
  for (const removed of [undefined, "latchkey.db-shm"]) {
    if (removed !== undefined) await rm(join(folder, removed));
    const before = await stateOf(folder);
    assertFound(await checkAt(folder), ["ok", /is intact/]);
    assert.deepEqual(await stateOf(folder), before);
  }
});

test("reports a damaged page in one line, and suggests latchkey restore", async (t) => {
  const { DATA_DIR, file } = await closedDatabase(t);
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0xaa, 4_096 * 6, 4_096 * 7));
  const damage = /latchkey\.db is damaged: Tree \d+ page \d+: [^\n]+$/;
  assertFound(await checkAt(DATA_DIR), ["problem", damage, /latchkey restore/]);
});

test("reports a database of a newer Latchkey", async (t) => {
  const { DATA_DIR, file } = await closedDatabase(t);
  execute(file, "PRAGMA user_version = 99");
  assertFound(await checkAt(DATA_DIR), [
    "problem",
    /has schema 99, .* up to \d+$/,
    /newer Latchkey/,
  ]);
});

test("gives a hint for a database without Latchkey's tables", async (t) => {
  const DATA_DIR = await tempDir(t);
  execute(join(DATA_DIR, "latchkey.db"), "CREATE TABLE other (id)");
  assertFound(await checkAt(DATA_DIR), ["hint", /has no tables of Latchkey/, /DATA_DIR/]);
});

test("gives a hint for a database without a write-ahead log", async (t) => {
  const { DATA_DIR, file } = await closedDatabase(t);
  execute(file, "PRAGMA journal_mode = DELETE");
  assertFound(await checkAt(DATA_DIR), ["hint", /no write-ahead log/, /start the gate/]);
});

test("reads a database that is too large for the full check", async (t) => {
  const { file } = await closedDatabase(t);
  const { checked, damage, contents } = await inspectSqlite(file, 4_096);
  assert.deepEqual([checked, damage, contents?.hasUsers], ["too-large", [], true]);
  assert.equal((await inspectSqlite(file)).checked, "all");
});
