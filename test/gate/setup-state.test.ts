import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setupTokenOf } from "../../src/gate/setup-state.ts";
import { send } from "../support/client.ts";
import { failureOf, outputOf, serveHere } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { OWNER, SECRET, SETUP_FORM, startConfigured } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { wholeSettings } from "./settings/settings-reading.ts";

/** A gate that others can reach, the link in its log, and the token in that. */
async function serveToOthers(t: TestContext, env: Readonly<Record<string, string>>) {
  const gate = await serveHere(t, { AUTH_SECRET: SECRET, TRUSTED_PROXIES: "127.0.0.1", ...env });
  const [, link = ""] = await gate.shows(
    /"No account yet. Open (\S+) (?:with the setup token )?to create it/,
  );
  return { ...gate, link, token: new URL(link).searchParams.get("token") ?? "" };
}

const setUp = (url: string, token: string) =>
  send(`${url}/setup`, { form: { ...SETUP_FORM, token } });

test("a gate that others can reach writes a setup token at start and logs the link", async (t) => {
  const DATA_DIR = await tempDir(t);
  const gate = await serveToOthers(t, { DATA_DIR });
  const file = join(DATA_DIR, "setup-token");
  assert.equal(await readFile(file, "utf8"), `${gate.token}\n`);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal(gate.link, `${gate.url}/setup?token=${gate.token}`);
  assert.equal((await setUp(gate.url, "")).status, 403);
  assert.equal((await setUp(gate.url, gate.token)).status, 303);
  assert.equal(existsSync(file), false);
});

test("keeps the token of an earlier start, names PUBLIC_URL, and makes another one once the database is lost", async (t) => {
  const env = { DATA_DIR: await tempDir(t), PUBLIC_URL: "https://auth.example.org" };
  const { token } = await serveToOthers(t, env);
  const second = await serveToOthers(t, env);
  assert.equal(second.link, `https://auth.example.org/setup?token=${token}`);
  assert.equal((await setUp(second.url, token)).status, 303);
  second.signal("SIGTERM");
  await second.ended;
  for (const end of ["", "-wal", "-shm"]) {
    await rm(join(env.DATA_DIR, `latchkey.db${end}`), { force: true });
  }
  const third = await serveToOthers(t, env);
  assert.notEqual(third.token, token);
  assert.equal((await setUp(third.url, token)).status, 403);
});

test("replaces an empty token file, and keeps a token of the operator out of the log", async (t) => {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "setup-token");
  await writeFile(file, " \n");
  const { token } = await serveToOthers(t, { DATA_DIR });
  assert.equal(await readFile(file, "utf8"), `${token}\n`);
  await writeFile(file, "a token of the operator");
  const gate = await serveToOthers(t, { DATA_DIR });
  assert.equal(gate.link, `${gate.url}/setup`);
  assert.doesNotMatch(gate.stdout(), /operator/);
});

test("refuses setup with 503 while the token file is missing, until there is a token", async (t) => {
  const env = { DATA_DIR: await tempDir(t) };
  const gate = await serveToOthers(t, env);
  await rm(join(env.DATA_DIR, "setup-token"));
  assert.equal((await send(`${gate.url}/setup`)).status, 503);
  for (const token of ["", gate.token]) assert.equal((await setUp(gate.url, token)).status, 503);
  const input = OWNER.password;
  await outputOf(["user", "add", "first", "--password-stdin"], { env, input });
  assert.equal((await setUp(gate.url, "")).location, "/login");
});

const unusable: readonly (readonly [string, RegExp, (file: string) => Promise<unknown>])[] = [
  ["is a folder", /it is not a regular file/, (file) => mkdir(file)],
  ["is in a folder that does not exist", /no such file or folder/, async () => {}],
];
for (const [what, reason, prepare] of unusable) {
  test(`does not start where others could create the account if the token file ${what}`, async (t) => {
    const DATA_DIR = await tempDir(t);
    const file = join(DATA_DIR, what === "is a folder" ? "token" : "not/there");
    await prepare(file);
    const env = { DATA_DIR, SETUP_TOKEN_FILE: file, PORT: "0", AUTH_SECRET: SECRET, HOST: "::" };
    const failure = await failureOf(["serve"], { env });
    assert.match(failure, reason);
    assert.match(failure, /user add --create.*SETUP_TOKEN=off/);
    await outputOf(["user", "add", "first", "--password-stdin", "--create"], {
      env: { DATA_DIR },
      input: OWNER.password,
    });
    await serveHere(t, { ...env, HOST: "127.0.0.1", TRUSTED_PROXIES: "127.0.0.1" });
  });
}

test("warns of a token file when it becomes unreadable, and when it does again", async (t) => {
  const file = join(await tempDir(t), "setup-token");
  const reasons: unknown[] = [];
  const warn = (fields: { readonly reason?: unknown }) => reasons.push(fields.reason);
  const store = { users: { any: async () => false } };
  const source = setupTokenOf(wholeSettings({ SETUP_TOKEN_FILE: file }), store, { warn });
  for (const _ of [1, 2]) {
    await mkdir(file);
    assert.equal(await source.read(), undefined);
    assert.equal(await source.read(), undefined);
    await rmdir(file);
    await writeFile(file, "the token");
    assert.equal(await source.read(), "the token");
    await source.delete();
  }
  assert.deepEqual(reasons, ["it is not a regular file", "it is not a regular file"]);
});

test("a gate that has seen an account keeps the setup closed when all accounts are lost", async (t) => {
  const { gate } = await startConfigured(t);
  assert.equal((await gate.send("/setup")).location, "/login");
  execute(gate.databaseFile, "DELETE FROM latchkey_users");
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).location, "/login");
  await rm(gate.databaseFile);
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).location, "/login");
});
