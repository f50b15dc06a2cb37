import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { send } from "../support/client.ts";
import { serveHere } from "../support/command.ts";
import { SECRET, startConfigured } from "../support/gate.ts";
import { jsonLines } from "../support/json-lines.ts";
import { tempDir } from "../support/temp-dir.ts";

/** What the gate says until it listens. Warnings come before that line. */
async function said(t: TestContext, env: Readonly<Record<string, string>>) {
  const gate = await serveHere(t, { AUTH_SECRET: SECRET, ...env });
  const warnings = jsonLines(gate.stdout()).filter(({ level }) => level === "warn");
  return { ...gate, warnings: warnings.map(({ msg }) => msg) };
}

test("logs where the gate listens and where the first account is created", async (t) => {
  const { url, stdout, stderr, shows } = await said(t, {
    DATA_DIR: await tempDir(t),
    ALLOWED_HOSTS: "*",
  });
  await shows(/No account yet/);
  const told = jsonLines(stdout()).map((line) => [line.level, line.msg, line.url]);
  assert.deepEqual(told, [
    ["info", `Latchkey listens on ${url}`, url],
    ["info", `No account yet. Open ${url}/setup to create it.`, undefined],
  ]);
  assert.equal(stderr(), "");
  assert.equal((await send(`${url}/setup`)).status, 200);
});

test("logs which hosts reach the setup while a gate on loopback has no account", async (t) => {
  const DATA_DIR = await tempDir(t);
  await (await said(t, { DATA_DIR })).shows(/"Until then, setup answers only for loopback names/);
  const gate = await said(t, { DATA_DIR, ALLOWED_HOSTS: "auth.example.org" });
  gate.signal("SIGTERM");
  assert.doesNotMatch((await gate.ended).stdout, /Until then/);
});

test("logs an IPv6 address in brackets", async (t) => {
  const { url } = await said(t, { DATA_DIR: await tempDir(t), HOST: "::1" });
  assert.match(url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await send(`${url}/login`)).status, 200);
});

test("warns and names SETUP_TOKEN=off while any machine can create the account", async (t) => {
  const dataDir = await tempDir(t);
  const env = { DATA_DIR: dataDir, HOST: "0.0.0.0", SETUP_TOKEN: "off" };
  const gate = await said(t, env);
  await gate.shows(/anyone who can reach this server can create it: remove SETUP_TOKEN=off/);
  assert.equal(existsSync(join(dataDir, "setup-token")), false);
});

test("warns at start about an unreadable setup token file, until set up", async (t) => {
  const [dataDir, file] = [await tempDir(t), join(await tempDir(t), "token")];
  await mkdir(file);
  const env = { DATA_DIR: dataDir, SETUP_TOKEN_FILE: file };
  const { warnings } = await said(t, env);
  assert.deepEqual(warnings, ["the setup token file cannot be read: setup requires no token"]);
  await (await startConfigured(t, { dataDir })).gate.stop();
  const gate = await said(t, env);
  assert.deepEqual(gate.warnings, []);
  gate.signal("SIGTERM");
  assert.doesNotMatch((await gate.ended).stdout, /No account/);
});
