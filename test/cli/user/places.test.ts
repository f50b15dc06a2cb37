import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf } from "../../support/command.ts";
import { inDatabase } from "../../support/database.ts";
import { runSql } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { tempDir } from "../../support/temp-dir.ts";

const server = await sharedPostgres();

const commands: readonly (readonly string[])[] = [
  ["log"],
  ["user", "list"],
  ["user", "add", "owner", "--password-stdin"],
  ["user", "password", "owner", "--password-stdin"],
  ["user", "rename", "owner", "host"],
  ["user", "remove", "owner", "--yes"],
  ["user", "sign-out", "owner"],
];

test("every command reports a missing database and creates none", async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, "empty"));
  for (const args of commands) {
    const advice = args[1] === "add" ? ": --create sets it up with this user" : "";
    for (const DATA_DIR of [join(dir, "missing"), join(dir, "empty")]) {
      const refusal = await failureOf(args, { env: { DATA_DIR }, input: "correct horse\n" });
      assert.equal(refusal, `there is no database at ${DATA_DIR}/latchkey.db${advice}`);
    }
  }
  assert.deepEqual(await readdir(dir, { recursive: true }), ["empty"]);
});

test("reports missing tables in PostgreSQL and creates none", async (t) => {
  const env = { DATABASE_URL: await server.newDatabase(), DATA_DIR: await tempDir(t) };
  for (const args of commands) {
    const refusal = await failureOf(args, { env, input: "correct horse\n" });
    assert.match(refusal, /^this database has no Latchkey tables/);
  }
  const made = await runSql(env.DATABASE_URL, "SELECT FROM pg_class WHERE relname ~ 'latchkey'");
  assert.equal(made.length, 0);
  assert.deepEqual(await readdir(env.DATA_DIR), []);
});

const LIST = ["user", "list"];

const others: readonly (readonly [string, (file: string) => Promise<void> | void, RegExp])[] = [
  [
    "another program's database",
    (file) => inDatabase(file, (database) => database.exec("CREATE TABLE users (id TEXT)")),
    /has no Latchkey tables/,
  ],
  ["no database", (file) => writeFile(file, "text\n".repeat(99)), /file is not a database/],
];
for (const [what, make, about] of others) {
  test(`leaves ${what} in place of the database unchanged`, async (t) => {
    const DATA_DIR = await tempDir(t);
    const file = join(DATA_DIR, "latchkey.db");
    await make(file);
    const before = await readFile(file);
    const refusal = await failureOf(LIST, { env: { DATA_DIR } });
    assert.match(refusal, about);
    assert.ok(refusal.includes(file), refusal);
    assert.deepEqual(await readFile(file), before);
    assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
  });
}
