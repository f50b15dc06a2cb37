import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf } from "../../support/command.ts";
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
