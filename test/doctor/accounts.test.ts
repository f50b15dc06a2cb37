import assert from "node:assert/strict";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkAccounts } from "../../src/doctor/accounts.ts";
import { allow, foreignFolder, give, isRoot, runUnprivileged } from "../cli/other-user.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const OPEN = { HOST: "0.0.0.0", SETUP_TOKEN: "off" };

test("reports a problem without an account if others reach a gate that makes no setup token", async (t) => {
  const open = [
    "problem",
    /anyone who can reach the gate can create the first/,
    /setup-link/,
  ] as const;
  const DATA_DIR = await tempDir(t);
  assertFound(await findings(checkAccounts, { env: { ...OPEN, DATA_DIR } }), open);
  const made = await findings(checkAccounts, { env: { HOST: "0.0.0.0", DATA_DIR } });
  assertFound(made, ["ok", /requires a token/]);
  const url = "https://auth.example.org";
  assertFound(await findings(checkAccounts, { env: { DATA_DIR }, url }), open);
});

test("accepts a setup token, but no empty one, until there is an account", async (t) => {
  const gate = await startGate(t);
  const env = { ...OPEN, DATA_DIR: gate.dataDir };
  await writeFile(gate.setupTokenFile, "\n");
  assertFound(await findings(checkAccounts, { env }), ["problem", /create the first one/]);
  await writeFile(gate.setupTokenFile, "token\n");
  assertFound(await findings(checkAccounts, { env }), ["ok", /requires a token/]);
  await gate.setUp({ token: "token" });
  assertFound(await findings(checkAccounts, { env }), ["ok", /an account exists/]);
});

test("reports ok without an account if only this machine reaches the gate", async (t) => {
  const { dataDir: DATA_DIR, url } = await startGate(t);
  const found = await findings(checkAccounts, { env: { DATA_DIR }, url });
  assertFound(found, ["ok", /only this machine can reach setup/]);
});

test("reports nothing about accounts if the database is unreadable", async (t) => {
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "latchkey.db"), "no database".repeat(100));
  assertFound(await findings(checkAccounts, { env: { DATA_DIR, HOST: "0.0.0.0" } }));
});

test("without an account, reports a setup token file that is not a regular file", async (t) => {
  const DATA_DIR = await tempDir(t);
  await mkdir(join(DATA_DIR, "setup-token"));
  assertFound(await findings(checkAccounts, { env: { DATA_DIR } }), [
    "problem",
    /cannot read the setup token file .*setup requires no token: it is not a regular file$/,
    /latchkey setup-link/,
  ]);
  const reachable = await findings(checkAccounts, { env: { DATA_DIR, HOST: "0.0.0.0" } });
  assertFound(reachable, ["problem", /the gate does not start: it is not a regular file$/]);
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
    const wrong = ["problem", /requires no token: permission denied/] as const;
    assertFound(await findings(checkAccounts, { env }), wrong);
    await give(SETUP_TOKEN_FILE);
    assertFound(await findings(checkAccounts, { env }), ["ok", /requires a token/]);
    await chmod(folder, 0o700);
    assertFound(await findings(checkAccounts, { env }), wrong);
    await chown(folder, 0, 65_534);
    await chmod(folder, 0o710);
    assertFound(await findings(checkAccounts, { env }), ["ok", /requires a token/]);
  });
}
