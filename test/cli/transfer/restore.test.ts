import assert from "node:assert/strict";
import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { failureOf, outputOf } from "../../support/command.ts";
import { logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { abandoned, backedUp, besides, contentOf, filled } from "./backup-place.ts";

const KEPT = /^latchkey\.db\.replaced-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;

test("restore creates a missing database that only its owner can read", async (t) => {
  const { backup } = await backedUp(t);
  await chmod(backup, 0o644);
  const DATA_DIR = join(await tempDir(t), "new");
  const printed = await outputOf(["restore", backup], { env: { DATA_DIR } });
  assert.equal(printed, `Restored 1 user and 2 log entries to ${DATA_DIR}/latchkey.db\n`);
  assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
  assert.equal((await stat(join(DATA_DIR, "latchkey.db"))).mode & 0o777, 0o600);
  assert.equal((await stat(DATA_DIR)).mode & 0o777, 0o700);
  assert.deepEqual(await contentOf(join(DATA_DIR, "latchkey.db")), await contentOf(backup));
});

test("replaces a database only with --force, and keeps the old one", async (t) => {
  const { backup, other } = await backedUp(t);
  const before = await readFile(other.database);
  const refusal = await failureOf(["restore", backup], { env: other.env });
  assert.equal(refusal, `there is already a database at ${other.database}: --force replaces it`);
  assert.deepEqual(await readFile(other.database), before);

  const printed = await outputOf(["restore", "--force", backup], { env: other.env });
  const [kept = "", ...others] = await besides(other.folder);
  assert.match(kept, KEPT);
  assert.deepEqual(others, []);
  const line = `Restored 1 user and 2 log entries to ${other.database}; the previous database is now ${join(other.folder, kept)}\n`;
  assert.equal(printed, line);
  assert.deepEqual((await contentOf(other.database)).usernames, ["owner"]);
  assert.deepEqual((await contentOf(join(other.folder, kept))).usernames, ["another"]);
});

test("keeps the write-ahead log of a killed gate with the old database", async (t) => {
  const { backup } = await backedUp(t);
  const other = await abandoned(t, "another", "later");
  assert.ok((await stat(`${other.database}-wal`)).size > 0);
  await outputOf(["restore", "--force", backup], { env: other.env });
  const [kept = "", ...others] = await besides(other.folder);
  assert.deepEqual(others, []);
  assert.deepEqual((await contentOf(other.database)).usernames, ["owner"]);
  assert.deepEqual((await contentOf(join(other.folder, kept))).usernames, ["another", "later"]);
});

test("replaces a damaged database and keeps it with its companion files", async (t) => {
  const { backup, other } = await backedUp(t);
  await writeFile(other.database, "damaged".repeat(1_000));
  await writeFile(`${other.database}-wal`, "leftover");
  await outputOf(["restore", "--force", backup], { env: other.env });
  const [kept = "", wal = "", ...others] = await besides(other.folder);
  assert.match(kept, KEPT);
  assert.equal(wal, `${kept}-wal`);
  assert.deepEqual(others, []);
  assert.equal(await readFile(join(other.folder, kept), "utf8"), "damaged".repeat(1_000));
  assert.deepEqual((await contentOf(other.database)).usernames, ["owner"]);
});

test("does not apply a leftover write-ahead log to the restored database", async (t) => {
  const { backup } = await backedUp(t);
  const other = await abandoned(t, "another", "later");
  await rename(other.database, join(dirname(backup), "away.db"));
  await outputOf(["restore", backup], { env: other.env });
  assert.deepEqual((await contentOf(other.database)).usernames, ["owner"]);
});

test("keeps a database that is a link, and replaces its target", async (t) => {
  const { backup, other } = await backedUp(t);
  const DATA_DIR = await tempDir(t);
  await symlink(other.database, join(DATA_DIR, "latchkey.db"));
  await outputOf(["restore", "--force", backup], { env: { DATA_DIR } });
  assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
  assert.deepEqual((await contentOf(other.database)).usernames, ["owner"]);
});

test("restores a manual copy of a running database with its write-ahead log", async (t) => {
  const [source, target] = [await filled(t, ["owner"], 1), await tempDir(t)];
  const store = await openSqlite({ file: source.database });
  t.after(() => store.close());
  await store.log.insert([logEntry("late")]);
  const folder = join(target, "copy");
  await mkdir(folder);
  for (const name of ["latchkey.db", "latchkey.db-wal"]) {
    await copyFile(join(source.folder, name), join(folder, name));
  }
  const DATA_DIR = join(target, "data");
  await outputOf(["restore", join(folder, "latchkey.db")], { env: { DATA_DIR } });
  assert.deepEqual((await contentOf(join(DATA_DIR, "latchkey.db"))).summaries, ["entry 0", "late"]);
});
