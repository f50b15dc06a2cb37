import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf, outputOf, runCommand } from "../../support/command.ts";
import { execute, setupTokensIn } from "../../support/database.ts";
import { OWNER, startGate } from "../../support/gate.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { tempDir } from "../../support/temp-dir.ts";

const CREATE = ["user", "add", OWNER.username, "--password-stdin", "--create"];
const CREATED = 'Created user "owner".\n';
const input = `${OWNER.password}\n`;

const server = await sharedPostgres();

/** By what is there before. */
const empty: Readonly<Record<string, (folder: string) => Promise<string> | string>> = {
  "a missing SQLite database in a missing folder": (folder) =>
    `sqlite:${join(folder, "of/app", "accounts.db")}`,
  "an empty SQLite file": async (folder) => {
    await writeFile(join(folder, "empty.db"), "");
    return `sqlite:${join(folder, "empty.db")}`;
  },
  "a PostgreSQL database without tables": () => server.newDatabase(),
};
for (const [what, make] of Object.entries(empty)) {
  test(`user add --create creates the first account in ${what}`, async (t) => {
    const folder = await tempDir(t);
    const DATABASE_URL = await make(folder);
    const env = { DATABASE_URL, DATA_DIR: join(folder, "data") };
    assert.equal(await outputOf(CREATE, { env, input }), CREATED);
    assert.equal(existsSync(env.DATA_DIR), false);

    const gate = await startGate(t, { databaseUrl: DATABASE_URL });
    assert.equal((await gate.send("/setup")).location, "/login");
    assert.equal((await gate.signIn()).location, "/");
    const [entry] = await gate.logEntries(1);
    const added = ["cli", "user_add", "Added account owner"];
    assert.deepEqual([entry?.author, entry?.type, entry?.summary], added);
  });
}

test("user add --create uses up the setup token as the setup does", async (t) => {
  const DATA_DIR = await tempDir(t);
  await runCommand(["setup-link"], { env: { DATA_DIR } });
  const tokens = () => setupTokensIn(join(DATA_DIR, "latchkey.db"));
  assert.equal(tokens().length, 1);
  await writeFile(join(DATA_DIR, "setup-token"), "a token of the operator");
  assert.equal(await outputOf(CREATE, { env: { DATA_DIR }, input }), CREATED);
  assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
  assert.deepEqual(tokens(), []);
  assert.equal((await stat(join(DATA_DIR, "latchkey.db"))).mode & 0o777, 0o600);
});

test("user add --create with a short password or an empty name creates nothing", async (t) => {
  const above = await tempDir(t);
  const env = { DATA_DIR: join(above, "data") };
  for (const [name, given, expectedCode] of [
    ["owner", "1234567", 1],
    ["", OWNER.password, 2],
  ] as const) {
    const args = ["user", "add", name, "--password-stdin", "--create"];
    await failureOf(args, { env, input: given }, expectedCode);
    assert.deepEqual(await readdir(above), []);
  }
});

test("user add --create leaves another program's database unchanged", async (t) => {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  execute(file, "CREATE TABLE notes (text)");
  const before = await readFile(file);
  const refusal = await failureOf(CREATE, { env: { DATA_DIR }, input });
  assert.equal(refusal, `${file} has no Latchkey tables`);
  assert.deepEqual(await readFile(file), before);
});
