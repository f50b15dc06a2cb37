import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { NEWEST_SCHEMA } from "../../src/db/schema.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, SECRET, startConfigured, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

/** An app's database with an account, beside a DATA_DIR that no command touches. */
async function appDatabase(t: TestContext) {
  const folder = await tempDir(t);
  const file = join(folder, "app", "accounts.db");
  const { gate, session } = await startConfigured(t, { databaseUrl: `sqlite:${file}` });
  await gate.logEntries(1);
  const DATA_DIR = join(folder, "data");
  const run = (...args: readonly string[]) =>
    runCommand([...args, "--database-url", `sqlite:${file}`], {
      env: { DATA_DIR, AUTH_SECRET: SECRET },
      input: "another password\n",
    });
  t.after(() => assert.equal(existsSync(DATA_DIR), false));
  return { gate, session, folder, file, run };
}

test("the app sees a password and a sign-out that --database-url sets, at once", async (t) => {
  const { gate, session, run } = await appDatabase(t);
  const setting = await run("user", "password", "owner", "--password-stdin", "--keep-sessions");
  assert.equal(setting.code, 0);
  assert.equal((await gate.signIn({ password: "another password" })).location, "/");
  assert.equal((await gate.signIn()).location, "/login?error=1");
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  assert.equal((await run("user", "sign-out", "owner")).code, 0);
  await eventually(
    async () => (await gate.send("/account/profile", { session })).status === 303 || undefined,
  );

  const next = await gate.signIn({ password: "another password" });
  const { session: again } = next;
  assert.equal((await gate.send("/account/profile", { session: again })).status, 200);
  assert.equal((await run("user", "password", "owner", "--password-stdin")).code, 0);
  const hasEnded = async () =>
    (await gate.send("/account/profile", { session: again })).status === 303;
  await eventually(async () => (await hasEnded()) || undefined);
});

test("log, export, doctor and setup-link read the database of --database-url", async (t) => {
  const { run, file } = await appDatabase(t);
  assert.match((await run("log", "--json")).stdout, /"summary":"Created account owner"/);
  assert.match((await run("export")).stdout, /"username":"owner"/);
  const { checks } = JSON.parse((await run("doctor", "--json")).stdout);
  const found = checks.map((one: { check: string; found: string }) => `${one.check}: ${one.found}`);
  for (const line of [
    `data folder: ${dirname(file)} exists and is writable`,
    `database: ${file} is intact and has schema ${NEWEST_SCHEMA}`,
    "accounts: an account exists",
  ]) {
    assert.ok(found.includes(line), found.join("\n"));
  }
  assert.match((await run("setup-link")).stderr, /there is already an account, so setup is closed/);
});

test("backup, restore, import and copy work on the files of DATABASE_URL", async (t) => {
  const { run, folder } = await appDatabase(t);
  const backup = join(folder, "backup.db");
  const restored = `sqlite:${join(folder, "new", "restored.db")}`;
  const copied = `sqlite:${join(folder, "copied.db")}`;
  const exported = join(folder, "users.json");
  const imported = `sqlite:${join(folder, "imported", "users.db")}`;
  assert.equal((await run("backup", backup)).code, 0);
  assert.equal((await run("export", "--with-hashes", "--to", exported)).code, 0);
  for (const args of [
    ["restore", backup, "--database-url", restored],
    ["import", exported, "--database-url", imported],
    ["copy", "--from", restored, "--to", copied],
  ]) {
    await outputOf(args, { env: { DATA_DIR: join(folder, "data") } });
  }
  for (const databaseUrl of [restored, imported, copied]) {
    const gate = await startGate(t, { databaseUrl });
    assert.equal((await gate.signIn(OWNER)).location, "/", databaseUrl);
  }
});

test("reports a folder of the database that cannot be created", async (t) => {
  const file = join(await tempDir(t), "file");
  const env = { DATABASE_URL: `sqlite:${join(process.execPath, "accounts.db")}`, DATA_DIR: file };
  const refusal = await failureOf(["serve"], { env: { ...env, AUTH_SECRET: SECRET } });
  assert.match(refusal, /^cannot create the folder of the database \S+: /);
});
