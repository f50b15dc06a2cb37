import assert from "node:assert/strict";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { inspectSqlite } from "../../src/db/sqlite/inspect.ts";
import { checkDatabase } from "../../src/doctor/database.ts";
import { filled, stateOf } from "../cli/transfer/backup-place.ts";
import { execute } from "../support/database.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

/** A closed database with more than one page. */
const closedDatabase = (t: TestContext) => filled(t, ["owner"], 500);

const checkAt = (DATA_DIR: string) => findings(checkDatabase, { env: { DATA_DIR } });

test("reports ok for an intact database, and changes nothing", async (t) => {
  const { folder } = await closedDatabase(t);
  const before = await stateOf(folder);
  assertFound(await checkAt(folder), ["ok", /is intact and has schema \d+$/]);
  assert.deepEqual(await stateOf(folder), before);
});

test("reports a damaged page in one line, and suggests latchkey restore", async (t) => {
  const { folder, database } = await closedDatabase(t);
  const bytes = await readFile(database);
  await writeFile(database, bytes.fill(0xaa, 4_096 * 6, 4_096 * 7));
  const damage = /latchkey\.db is damaged: Tree \d+ page \d+: [^\n]+$/;
  assertFound(await checkAt(folder), ["problem", damage, /latchkey restore/]);
});

test("reports a database of a newer Latchkey", async (t) => {
  const { folder, database } = await closedDatabase(t);
  execute(database, "PRAGMA user_version = 99");
  assertFound(await checkAt(folder), ["problem", /has schema 99, .* up to \d+$/, /newer Latchkey/]);
});

test("gives a hint for a database without Latchkey's tables", async (t) => {
  const DATA_DIR = await tempDir(t);
  execute(join(DATA_DIR, "latchkey.db"), "CREATE TABLE other (id)");
  assertFound(await checkAt(DATA_DIR), ["hint", /has no tables of Latchkey/, /DATA_DIR/]);
});

test("reads a database that is too large for the full check", async (t) => {
  const { database } = await closedDatabase(t);
  assert.equal((await inspectSqlite(database)).checked, "all");
  await truncate(database, 256 * 1024 * 1024 + 1);
  const { checked, damage, contents } = await inspectSqlite(database);
  assert.deepEqual([checked, damage, contents?.hasUsers], ["too-large", [], true]);
});
