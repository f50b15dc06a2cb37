import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { failureOf, outputOf } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { startServe } from "../../support/process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { backedUp, besides, contentOf, filled } from "./backup-place.ts";

test("refuses while a gate has the database open, and changes nothing", async (t) => {
  const { backup, other } = await backedUp(t);
  const gate = await startServe(t, other.env);
  const refusal = await failureOf(["restore", "--force", backup], { env: other.env });
  assert.equal(
    refusal,
    `${other.database} is in use: stop the gate and all other processes that have it open`,
  );
  assert.deepEqual(await besides(other.folder), ["latchkey.db-shm", "latchkey.db-wal"]);
  gate.child.kill("SIGTERM");
  await gate.ended;
  assert.deepEqual((await contentOf(other.database)).usernames, ["another"]);
  await outputOf(["restore", "--force", backup], { env: other.env });
});

test("refuses an incomplete, foreign or newer backup even with --force", async (t) => {
  const { backup, other } = await backedUp(t);
  const folder = dirname(backup);
  const before = await readFile(other.database);
  const copy = async (name: string, change?: string): Promise<string> => {
    const file = join(folder, name);
    await copyFile(backup, file);
    if (change !== undefined) execute(file, change);
    return file;
  };
  const cut = await copy("cut");
  await writeFile(cut, (await readFile(backup)).subarray(0, 9_000));
  const damaged = await copy("damaged");
  await writeFile(damaged, (await readFile(backup)).fill(0xa5, 8_192, 12_288));
  const page = await copy("page");
  await writeFile(page, (await readFile(backup)).fill(0xa5, 57_344, 61_440));
  const text = join(folder, "text");
  await writeFile(text, "no database at all, but as long as the header of one would be".repeat(99));
  await writeFile(join(folder, "empty"), "");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  for (const [file, problem] of [
    [text, /not a complete Latchkey database/],
    [join(folder, "empty"), /is not a Latchkey database/],
    [
      await copy("other", "DROP TABLE latchkey_users"),
      /has a foreign schema: the table "latchkey_users" is missing$/,
    ],
    [await copy("zero", "PRAGMA user_version = 0"), /is not a Latchkey database/],
    [await copy("negative", "PRAGMA user_version = -1"), /is not a Latchkey database/],
    [
      await copy("full", "UPDATE sqlite_sequence SET seq = 9223372036854775807"),
      /has no IDs left for new log entries$/,
    ],
    [await copy("newer", "PRAGMA user_version = 999"), /has schema 999, .*use a newer Latchkey/],
    [cut, /damaged|not a complete Latchkey database|malformed/],
    [damaged, /\/damaged is damaged: database disk image is malformed$/],
    [page, /\/page is damaged: Tree \d+ page \d+: [^\\]+$/],
    [join(folder, "none"), /cannot read \S+: no such file or folder/],
    [folder, /^cannot read \S+: it is a folder$/],
    [join(folder, "pipe"), /^cannot read \S+: it is a pipe, not a file$/],
    [other.database, /is the database itself/],
  ] as const) {
    const refusal = await failureOf(["restore", "--force", file], { env: other.env });
    assert.match(refusal, problem, file);
    assert.deepEqual(await readdir(other.folder), ["latchkey.db"], file);
    assert.deepEqual(await readFile(other.database), before, file);
  }
});

test("refuses a backup without accounts over a database or a backup with accounts", async (t) => {
  const { backup, other } = await backedUp(t);
  for (const entries of [0, 3]) {
    const { env, backup: empty } = await filled(t, [], entries);
    await outputOf(["backup", empty], { env });
    const emptied = await failureOf(["restore", "--force", empty], { env: other.env });
    assert.equal(
      emptied,
      `${other.database} has accounts or cannot be read, and what would replace it has none: without an account, anyone could set up this server`,
    );
    assert.deepEqual(await readdir(other.folder), ["latchkey.db"]);
    assert.deepEqual((await contentOf(other.database)).usernames, ["another"]);
    await outputOf(["restore", empty], { env: { DATA_DIR: await tempDir(t) } });

    const refusal = await failureOf(["backup", "--force", backup], { env });
    assert.match(refusal, /backup\.db has accounts or cannot be read/);
    assert.deepEqual(await readdir(dirname(backup)), ["backup.db"]);
    await outputOf(["backup", "--force", empty], { env });
  }
  assert.deepEqual((await contentOf(backup)).usernames, ["owner"]);
});

test("names pg_restore and psql for PostgreSQL", async (t) => {
  const { backup } = await backedUp(t);
  const DATA_DIR = join(await tempDir(t), "none");
  const env = { DATA_DIR, DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };
  const refusal = await failureOf(["restore", "--force", backup], { env });
  assert.equal(refusal, "the accounts are in PostgreSQL: restore a dump with pg_restore or psql");
});
