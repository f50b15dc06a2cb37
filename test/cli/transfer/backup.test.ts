import assert from "node:assert/strict";
import { chmod, copyFile, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { startConfigured } from "../../support/gate.ts";
import { abandoned, contentOf, filled } from "./backup-place.ts";

test("backup copies a database that others may read into a file that only its owner can read", async (t) => {
  const { env, database, backup } = await filled(t, ["owner", "guest"], 3);
  await chmod(database, 0o666);
  const printed = await outputOf(["backup", backup], { env });
  assert.equal(printed, `Backed up 2 users and 3 log entries to ${backup}\n`);
  assert.equal((await stat(backup)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dirname(backup)), ["backup.db"]);
  assert.deepEqual(await readdir(dirname(database)), ["latchkey.db"], "nothing is left here");
  assert.deepEqual(await contentOf(backup), await contentOf(database));
});

test("a backup includes acknowledged writes that are still in the write-ahead log", async (t) => {
  const { env, folder, backup } = await filled(t, [], 0);
  const { gate } = await startConfigured(t, { dataDir: folder });
  await gate.logEntries(1);
  await outputOf(["backup", backup], { env });
  const content = { usernames: ["owner"], summaries: ["Created account owner"] };
  assert.deepEqual(await contentOf(backup), content);
  assert.equal((await gate.signIn()).status, 303, "the gate goes on");
});

test("removes the logs and the journal of an older file of the same name", async (t) => {
  const older = await abandoned(t, "older", "later");
  const { env, backup } = await filled(t, ["owner"], 0);
  for (const suffix of ["", "-wal"])
    await copyFile(`${older.database}${suffix}`, `${backup}${suffix}`);
  assert.ok((await stat(`${backup}-wal`)).size > 0);
  await writeFile(`${backup}-journal`, "SQLite would roll it back");
  await outputOf(["backup", "--force", backup], { env });
  assert.deepEqual(await readdir(dirname(backup)), ["backup.db"]);
  assert.deepEqual((await contentOf(backup)).usernames, ["owner"]);
});

test("a backup and an export overwrite no file of the database under any name", async (t) => {
  const { env, database, folder } = await filled(t, ["owner"], 0);
  const link = join(folder, "link.db");
  await symlink("latchkey.db", link);
  for (const [file, what] of [
    [database, "the database itself"],
    [link, "the database itself"],
    [`${database}-wal`, "a part of the database"],
  ] as const) {
    for (const command of [["backup"], ["export", "--to"]]) {
      const refusal = await failureOf([...command, file, "--force"], { env });
      assert.equal(refusal, `${file} is ${what}`);
    }
  }
  assert.deepEqual((await contentOf(database)).usernames, ["owner"]);
});

test("names pg_dump for PostgreSQL and creates nothing", async (t) => {
  const { env, backup } = await filled(t, ["owner"], 0);
  const postgres = { ...env, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  const refusal = await failureOf(["backup", backup], { env: postgres });
  assert.equal(refusal, "the accounts are in PostgreSQL: back them up with pg_dump");
  assert.deepEqual(await readdir(dirname(backup)), []);
});

test("reports a missing, foreign or newer database in one line and leaves no file", async (t) => {
  const [other, newer] = [await filled(t, [], 0), await filled(t, [], 0)];
  execute(
    other.database,
    "PRAGMA user_version = 0; DROP TABLE latchkey_users; DROP TABLE latchkey_log",
  );
  execute(newer.database, "PRAGMA user_version = 999");
  const { backup } = other;
  for (const [env, problem] of [
    [{ DATA_DIR: join(other.folder, "none") }, /there is no database at/],
    [other.env, /is not a Latchkey database/],
    [newer.env, /has schema 999, but this Latchkey knows schemas up to/],
  ] as const) {
    assert.match(await failureOf(["backup", backup], { env }), problem);
    assert.deepEqual(await readdir(dirname(backup)), []);
  }
  assert.deepEqual(await readdir(other.folder), ["latchkey.db"]);
});

test("refuses to back up a damaged database", async (t) => {
  const { env, database, backup } = await filled(t, ["owner"], 5_000);
  const bytes = await readFile(database);
  bytes.fill(0xa5, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 4_096);
  await writeFile(database, bytes);
  const refusal = await failureOf(["backup", backup], { env });
  assert.match(refusal, /damaged|not a complete Latchkey database|malformed/);
  assert.deepEqual(await readdir(dirname(backup)), []);
});
