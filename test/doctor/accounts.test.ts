import assert from "node:assert/strict";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { accountsCheck } from "../../src/doctor/accounts.ts";
import { allow, foreignFolder, give, isRoot, runUnprivileged } from "../cli/other-user.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, type Case, findings } from "./installation.ts";

const OPEN: readonly (readonly [string, Omit<Case, "now">])[] = [
  ["a gate that listens for others", { env: { HOST: "0.0.0.0" } }],
  ["a public address", { env: { PUBLIC_URL: "https://auth.example.org" } }],
  ["an address that is not loopback", { url: "https://auth.example.org" }],
  ["a trusted proxy", { env: { TRUSTED_PROXIES: "127.0.0.1" } }],
];

for (const [name, given] of OPEN) {
  test(`reports a problem without an account and with ${name}: setup is open to strangers`, async (t) => {
    const env = { ...given.env, DATA_DIR: await tempDir(t) };
    assertFound(await findings(accountsCheck, { ...given, env }), [
      "problem",
      /whoever reaches the gate first can make it/,
      /latchkey setup-link/,
    ]);
  });

  test(`with ${name}, accepts a setup token, and reports a problem for an empty one`, async (t) => {
    const { dataDir: DATA_DIR } = await startGate(t);
    const env = { ...given.env, DATA_DIR };
    await writeFile(join(DATA_DIR, "setup-token"), "\n");
    assertFound(await findings(accountsCheck, { ...given, env }), ["problem", /first can make it/]);
    await writeFile(join(DATA_DIR, "setup-token"), "token\n");
    assertFound(await findings(accountsCheck, { ...given, env }), ["ok", /asks for a token/]);
  });

  test(`reports ok with ${name} and an account`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const env = { ...given.env, DATA_DIR: gate.dataDir };
    assertFound(await findings(accountsCheck, { ...given, env }), ["ok", /there is an account/]);
  });
}

test("reports ok without an account if only this machine reaches the gate", async (t) => {
  const { dataDir: DATA_DIR, url } = await startGate(t);
  const found = await findings(accountsCheck, { env: { DATA_DIR }, url });
  assertFound(found, ["ok", /from this machine alone/]);
});

test("reports nothing about accounts if the database is unreadable", async (t) => {
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "latchkey.db"), "no database".repeat(100));
  assertFound(await findings(accountsCheck, { env: { DATA_DIR, HOST: "0.0.0.0" } }));
});

test("without an account, reports a setup token file that is not a regular file", async (t) => {
  const DATA_DIR = await tempDir(t);
  await mkdir(join(DATA_DIR, "setup-token"));
  assertFound(await findings(accountsCheck, { env: { DATA_DIR } }), [
    "problem",
    /cannot read the setup token file .*setup asks for no token: it is not a regular file$/,
    /latchkey setup-link/,
  ]);
});

test("without an account, reports a setup token that the gate's user cannot read", async (t) => {
  const above = await tempDir(t);
  const DATA_DIR = join(above, "data");
  await mkdir(DATA_DIR);
  const file = join(DATA_DIR, "setup-token");
  await writeFile(file, "the token");
  if (isRoot) await allow(above, 1);
  await give(DATA_DIR);
  await allow(file, 0);
  const { code, stdout } = await runUnprivileged(["doctor"], { DATA_DIR });
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM accounts .*cannot read the setup token file .*permission denied\n/);
});

if (isRoot) {
  test("as root, reports a setup token that the owner of the data folder cannot read", async (t) => {
    const DATA_DIR = await foreignFolder(t);
    const folder = join(DATA_DIR, "..", "tokens");
    await mkdir(folder, { mode: 0o755 });
    const SETUP_TOKEN_FILE = join(folder, "token");
    await writeFile(SETUP_TOKEN_FILE, "the token", { mode: 0o600 });
    const env = { DATA_DIR, SETUP_TOKEN_FILE };
    const wrong = ["problem", /asks for no token: permission denied/] as const;
    assertFound(await findings(accountsCheck, { env }), wrong);
    await give(SETUP_TOKEN_FILE);
    assertFound(await findings(accountsCheck, { env }), ["ok", /asks for a token/]);
    await chmod(folder, 0o700);
    assertFound(await findings(accountsCheck, { env }), wrong);
    await chown(folder, 0, 65_534);
    await chmod(folder, 0o710);
    assertFound(await findings(accountsCheck, { env }), ["ok", /asks for a token/]);
  });
}
