import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../../src/gate/open-store.ts";
import { readPlace } from "../../../src/stores/place.ts";
import { runCommand } from "../../support/command.ts";
import { execute } from "../../support/database.ts";
import { OWNER, startGate } from "../../support/gate.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { sqlitePlace } from "./place.ts";

const CREATE = ["user", "add", OWNER.username, "--password-stdin", "--create"];
const CREATED = { code: 0, stdout: 'Created user "owner".\n', stderr: "" };
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
  test(`user add --create creates the first account in ${what}, and the gate serves it`, async (t) => {
    const folder = await tempDir(t);
    const DATABASE_URL = await make(folder);
    const env = { DATABASE_URL, DATA_DIR: join(folder, "data") };
    assert.deepEqual(await runCommand(CREATE, { env, input }), CREATED);
    assert.equal(existsSync(env.DATA_DIR), false);

    const gate = await startGate(t, { databaseUrl: DATABASE_URL });
    assert.equal((await gate.send("/setup")).location, "/login");
    assert.equal((await gate.signIn()).location, "/");
    const store = await openStore({ database: readPlace(DATABASE_URL) }, "refuse");
    t.after(() => store.close());
    const [entry] = await store.readLogEntries({ afterId: 0, limit: 1 });
    assert.deepEqual(
      [entry?.author, entry?.type, entry?.summary],
      ["cli", "user_add", "Added account owner"],
    );
  });
}

test("user add --create makes folder and database private", async (t) => {
  const DATA_DIR = join(await tempDir(t), "data");
  assert.deepEqual(await runCommand(CREATE, { env: { DATA_DIR }, input }), CREATED);
  assert.equal((await stat(DATA_DIR)).mode & 0o777, 0o700);
  assert.equal((await stat(join(DATA_DIR, "latchkey.db"))).mode & 0o777, 0o600);
});

test("user add --create uses up the setup token as the setup does", async (t) => {
  const DATA_DIR = await tempDir(t);
  assert.equal((await runCommand(["setup-link"], { env: { DATA_DIR } })).code, 0);
  assert.deepEqual(await readdir(DATA_DIR), ["setup-token"]);
  assert.deepEqual(await runCommand(CREATE, { env: { DATA_DIR }, input }), CREATED);
  assert.deepEqual(await readdir(DATA_DIR), ["latchkey.db"]);
});

test("user add reports a setup token file that it cannot delete, and succeeds", async (t) => {
  const DATA_DIR = await tempDir(t);
  const env = { DATA_DIR, SETUP_TOKEN_FILE: DATA_DIR };
  const { code, stdout, stderr } = await runCommand(CREATE, { env, input });
  assert.deepEqual([code, stdout], [0, CREATED.stdout]);
  assert.match(stderr, /^latchkey: done, but deleting the setup token file failed: [^\n]+\n$/);
});

test("user add --create run again says that the user exists, with exit code 1", async (t) => {
  const env = { DATA_DIR: await tempDir(t) };
  const guest = ["user", "add", "guest", "--password-stdin", "--create"];
  assert.deepEqual(await runCommand(CREATE, { env, input }), CREATED);
  assert.deepEqual(await runCommand(CREATE, { env, input: "another password" }), {
    code: 1,
    stdout: "",
    stderr: 'latchkey: there is already a user "owner"\n',
  });
  assert.equal((await runCommand(guest, { env, input })).code, 0);
  const { stdout } = await runCommand(["user", "list"], { env });
  assert.equal(stdout.trimEnd().split("\n").length, 2);
});

const refused: readonly (readonly [what: string, name: string, input: string])[] = [
  ["a short password", "owner", "1234567"],
  ["no password", "owner", ""],
  ["an empty name", "", OWNER.password],
];
for (const [what, name, given] of refused) {
  test(`user add --create with ${what} creates nothing`, async (t) => {
    const above = await tempDir(t);
    const args = ["user", "add", name, "--password-stdin", "--create"];
    const env = { DATA_DIR: join(above, "data") };
    const { code, stdout, stderr } = await runCommand(args, { env, input: given });
    assert.deepEqual([code === 0, stdout], [false, ""]);
    assert.match(stderr, /^latchkey: [^\n]+\n$/);
    assert.deepEqual(await readdir(above), []);
  });
}

test("user add --create leaves another program's database unchanged", async (t) => {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "latchkey.db");
  execute(file, "CREATE TABLE notes (text)");
  const before = await readFile(file);
  const { code, stderr } = await runCommand(CREATE, { env: { DATA_DIR }, input });
  assert.deepEqual([code, stderr], [1, `latchkey: ${file} has no Latchkey tables\n`]);
  assert.deepEqual(await readFile(file), before);
});

test("four racing user add --create make one account", async (t) => {
  const env = { DATA_DIR: await tempDir(t) };
  const endings = await Promise.all(
    Array.from({ length: 4 }, () => runCommand(CREATE, { env, input })),
  );
  assert.deepEqual(endings.map(({ code }) => code).sort(), [0, 1, 1, 1]);
});

test("user add --create adds to a database that has users", async (t) => {
  const place = await sqlitePlace(t, "guest");
  assert.deepEqual(await runCommand(CREATE, { env: place.env, input }), CREATED);
  assert.deepEqual(Object.keys(await place.accounts()).sort(), ["guest", "owner"]);
});
