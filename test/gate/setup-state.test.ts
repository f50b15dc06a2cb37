import assert from "node:assert/strict";
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createGateSetupToken } from "../../src/gate/setup-state.ts";
import { send } from "../support/client.ts";
import { failureOf, outputOf, runCommand, serveHere } from "../support/command.ts";
import { execute, setupTokensIn } from "../support/database.ts";
import { OWNER, SECRET, SETUP_FORM, startConfigured } from "../support/gate.ts";
import { openStore } from "../support/store.ts";
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

test("a gate that others can reach keeps a setup token, and logs the link", async (t) => {
  const DATA_DIR = await tempDir(t);
  const gate = await serveToOthers(t, { DATA_DIR });
  assert.match(gate.token, /^[\w-]{32}$/);
  assert.equal(gate.link, `${gate.url}/setup?token=${gate.token}`);
  assert.equal((await setUp(gate.url, "")).status, 403);
  assert.equal((await setUp(gate.url, gate.token)).status, 303);
  assert.deepEqual(setupTokensIn(join(DATA_DIR, "latchkey.db")), []);
});

test("gates on one database log the same link, and each accepts a newer one", async (t) => {
  const env = { DATA_DIR: await tempDir(t) };
  const [one, other] = await Promise.all([serveToOthers(t, env), serveToOthers(t, env)]);
  assert.equal(one.token, other.token);
  const { stdout } = await runCommand(["setup-link"], { env });
  const link = new URL(stdout.trim());
  const token = link.searchParams.get("token") ?? "";
  for (const { url } of [one, other]) assert.equal((await setUp(url, one.token)).status, 403);
  assert.equal((await setUp(other.url, token)).status, 303);
  assert.equal((await setUp(one.url, token)).location, "/login");
});

test("keeps an earlier token, and makes another once the database is lost", async (t) => {
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

test("takes an empty token file as none, and logs no operator's token", async (t) => {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "setup-token");
  await writeFile(file, " \n");
  const { token } = await serveToOthers(t, { DATA_DIR });
  assert.match(token, /^[\w-]{32}$/);
  await writeFile(file, "a token of the operator");
  const gate = await serveToOthers(t, { DATA_DIR });
  assert.equal(gate.link, `${gate.url}/setup`);
  assert.doesNotMatch(gate.stdout(), /operator/);
  assert.equal((await setUp(gate.url, token)).status, 403);
  assert.equal((await setUp(gate.url, "a token of the operator")).status, 303);
});

test("refuses setup with 503 while the token is missing", async (t) => {
  const env = { DATA_DIR: await tempDir(t) };
  const gate = await serveToOthers(t, env);
  execute(join(env.DATA_DIR, "latchkey.db"), "DELETE FROM latchkey_setup_tokens");
  assert.equal((await send(`${gate.url}/setup`)).status, 503);
  for (const token of ["", gate.token]) assert.equal((await setUp(gate.url, token)).status, 503);
  const input = OWNER.password;
  await outputOf(["user", "add", "first", "--password-stdin"], { env, input });
  assert.equal((await setUp(gate.url, "")).location, "/login");
});

test("does not start if the token file cannot be read and others reach it", async (t) => {
  const DATA_DIR = await tempDir(t);
  const file = join(DATA_DIR, "token");
  await mkdir(file);
  const env = { DATA_DIR, SETUP_TOKEN_FILE: file, PORT: "0", AUTH_SECRET: SECRET, HOST: "::" };
  const failure = await failureOf(["serve"], { env });
  assert.match(failure, /it is not a regular file/);
  assert.match(failure, /user add --create.*SETUP_TOKEN=off/);
  await outputOf(["user", "add", "first", "--password-stdin", "--create"], {
    env: { DATA_DIR },
    input: OWNER.password,
  });
  await serveHere(t, { ...env, HOST: "127.0.0.1", TRUSTED_PROXIES: "127.0.0.1" });
});

test("warns of a token file when it becomes unreadable, and when it does again", async (t) => {
  const file = join(await tempDir(t), "setup-token");
  const reasons: unknown[] = [];
  const warn = (fields: { readonly reason?: unknown }) => reasons.push(fields.reason);
  const store = await openStore(t, ":memory:");
  const source = createGateSetupToken(wholeSettings({ SETUP_TOKEN_FILE: file }), store, { warn });
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

test("keeps the setup closed when all accounts are lost", async (t) => {
  const { gate } = await startConfigured(t);
  assert.equal((await gate.send("/setup")).location, "/login");
  execute(gate.databaseFile, "DELETE FROM latchkey_users");
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).location, "/login");
  await rm(gate.databaseFile);
  assert.equal((await gate.send("/setup", { form: SETUP_FORM })).location, "/login");
});
