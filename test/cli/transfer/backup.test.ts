import assert from "node:assert/strict";
import {
  chmod,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { byTable, rowsIn, rowsOfEveryTable } from "../../db/either.ts";
import { failureOf, outputOf, runCommand } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { startConfigured } from "../../support/gate.ts";
import { openStore } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { sqlitePlace } from "../user/place.ts";
import { contentOf, filled } from "./backup-place.ts";

test("backup makes a file that only its owner can read", async (t) => {
  const { env, database, backup } = await filled(t, ["owner", "guest"], 3);
  await chmod(database, 0o666);
  const printed = await outputOf(["backup", backup], { env });
  assert.equal(printed, `Backed up 2 users and 3 log entries to ${backup}\n`);
  assert.equal((await stat(backup)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dirname(backup)), ["backup.db"]);
  assert.deepEqual(await readdir(dirname(database)), ["latchkey.db"], "nothing is left here");
  assert.deepEqual(await contentOf(backup), await contentOf(database));
});

test("a backup contains the rows of every table", async (t) => {
  const { env, store } = await sqlitePlace(t);
  await store.transfer.importRows(rowsOfEveryTable(), async () => {});
  const backup = join(await tempDir(t), "backup.db");
  await outputOf(["backup", backup], { env });
  assert.deepEqual(await rowsIn(await openStore(t, backup)), byTable(rowsOfEveryTable()));
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

test("refuses a backup beside files of a database of its name", async (t) => {
  const { env, database, backup } = await filled(t, ["owner"], 0);
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    await writeFile(`${backup}${suffix}`, "of another database");
    for (const force of [[], ["--force"]]) {
      const refusal = await failureOf(["backup", ...force, backup], { env });
      assert.match(refusal, new RegExp(`^${backup}${suffix} exists, a part of the database`));
    }
    assert.equal(await readFile(`${backup}${suffix}`, "utf8"), "of another database");
    await rm(`${backup}${suffix}`);
  }
  const renamed = `${database}-wal`;
  await rename(database, renamed);
  const named = { env: { ...env, DATABASE_URL: `sqlite:${renamed}` } };
  await failureOf(["backup", database], named);
  assert.deepEqual((await contentOf(renamed)).usernames, ["owner"], "the live database is there");
});

test("no command writes a file of any database, by any path or name", async (t) => {
  const other = await filled(t, ["other"], 0);
  const { env, database, folder } = await filled(t, ["owner"], 0);
  const outside = await tempDir(t);
  const linkedFolder = join(outside, "folder");
  await symlink(folder, linkedFolder);
  const linkedFile = join(outside, "linked.db");
  await symlink(database, linkedFile);
  const hardLink = join(folder, "second-name.db");
  await link(database, hardLink);
  const throughLink = { ...env, DATABASE_URL: `sqlite:${linkedFile}` };
  for (const [target, given] of [
    [`${database}-journal`, throughLink],
    [`${database}-wal`, throughLink],
    [join(linkedFolder, "latchkey.db-journal"), env],
    [join(linkedFolder, "LATCHKEY.DB-SHM"), env],
    [hardLink, env],
    [`${other.database}-wal`, env],
    [`${other.database}-journal`, env],
  ] as const) {
    for (const command of [["backup"], ["export", "--to"]]) {
      const refusal = await failureOf([...command, target, "--force"], { env: given });
      assert.match(refusal, / is (the database itself|a part of the database)/, target);
    }
  }
  const exported = await failureOf(["export", "--force", "--to", other.database], { env });
  assert.match(exported, /is a database: choose another name/);
  await writeFile(`${database}-wal`, "");
  for (const target of [`${database}-wal`, `${other.database}-journal`]) {
    const args = ["copy", "--from", `sqlite:${database}`, "--to", `sqlite:${target}`];
    assert.match(await failureOf(args), /is a part of the database/);
  }
  assert.deepEqual((await contentOf(database)).usernames, ["owner"]);
  assert.deepEqual((await contentOf(other.database)).usernames, ["other"]);
});

test("a backup does not replace a database that another gate has open", async (t) => {
  const { env } = await filled(t, ["owner"], 0);
  const { gate } = await startConfigured(t, {});
  const target = join(gate.dataDir, "latchkey.db");
  assert.match(await failureOf(["backup", "--force", target], { env }), /exists, a part of/);
  const copied = join(await tempDir(t), "open.db");
  await outputOf(["backup", copied], { env });
  using open = new DatabaseSync(copied);
  open.exec("PRAGMA journal_mode = DELETE; BEGIN; SELECT * FROM latchkey_users");
  open.prepare("SELECT * FROM latchkey_users").all();
  assert.match(await failureOf(["backup", "--force", copied], { env }), /open\.db is in use/);
});

test("refuses to create a database beside the write-ahead log of a missing one", async (t) => {
  const { env, database, backup } = await filled(t, ["owner"], 0);
  await outputOf(["backup", backup], { env });
  await rm(database);
  await writeFile(`${database}-wal`, "changes");
  const added = ["user", "add", "ann", "--password-stdin", "--create"];
  const given = { env: { ...env, PORT: "0" }, input: "a long password\n" };
  for (const args of [["user", "list"], ["serve"], ["setup-link"], ["export"], added]) {
    const refusal = await failureOf(args, given, args[0] === "serve" ? 2 : 1);
    assert.match(refusal, /latchkey\.db is missing, but \S+-wal exists.*`latchkey restore`/);
  }
  assert.equal(await readFile(`${database}-wal`, "utf8"), "changes");
  assert.equal((await runCommand(["restore", backup], { env })).code, 0);
  assert.deepEqual((await contentOf(database)).usernames, ["owner"]);
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
