import assert from "node:assert/strict";
import { chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkAccounts } from "../../src/doctor/accounts.ts";
import { allow, foreignFolder, give, isRoot, runUnprivileged } from "../cli/other-user.ts";
import { runCommand } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";

const REMOTE = { HOST: "0.0.0.0" };
const OPEN = { ...REMOTE, SETUP_TOKEN: "off" };
const ANYONE = ["problem", /anyone who can reach the gate can create the first/, /setup-/] as const;
const TOKEN = ["ok", /requires a token/] as const;

test("reports a problem if others reach a gate without account and token", async (t) => {
  const { dataDir: DATA_DIR, url } = await startGate(t);
  await assertCheck(checkAccounts, { env: { ...OPEN, DATA_DIR } }, ANYONE);
  await assertCheck(checkAccounts, { env: { ...REMOTE, DATA_DIR } }, TOKEN);
  const publicUrl = "https://auth.example.org";
  await assertCheck(checkAccounts, { env: { DATA_DIR }, url: publicUrl }, ANYONE);
  const local = ["ok", /only this machine can reach setup/] as const;
  await assertCheck(checkAccounts, { env: { DATA_DIR }, url }, local);
});

test("accepts a setup token, but no empty one, until there is an account", async (t) => {
  const gate = await startGate(t);
  const env = { ...OPEN, DATA_DIR: gate.dataDir };
  await writeFile(gate.setupTokenFile, "\n");
  await assertCheck(checkAccounts, { env }, ANYONE);
  await writeFile(gate.setupTokenFile, "token\n");
  await assertCheck(checkAccounts, { env }, TOKEN);
  await gate.setUp({ token: "token" });
  await assertCheck(checkAccounts, { env }, ["ok", /an account exists/]);
  for (const change of ["groups = ',admins,', ends_at = 4000000000000", "groups = ',a-admins,'"]) {
    execute(gate.databaseFile, `UPDATE latchkey_users SET ${change}, username = 'changed'`);
    const none = [
      "hint",
      /no account without an end is in the group admins/,
      /user groups/,
    ] as const;
    await assertCheck(checkAccounts, { env }, none);
  }
});

test("accepts the setup token that the database keeps", async (t) => {
  const { dataDir: DATA_DIR } = await startGate(t);
  assert.equal((await runCommand(["setup-link"], { env: { DATA_DIR } })).code, 0);
  await assertCheck(checkAccounts, { env: { ...OPEN, DATA_DIR } }, TOKEN);
});

test("reports nothing about accounts if the database is unreadable", async (t) => {
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "latchkey.db"), "no database".repeat(100));
  await assertCheck(checkAccounts, { env: { ...REMOTE, DATA_DIR } });
});

test("without an account, reports a setup token file that is not a regular file", async (t) => {
  const DATA_DIR = await tempDir(t);
  await mkdir(join(DATA_DIR, "setup-token"));
  await assertCheck(checkAccounts, { env: { DATA_DIR } }, [
    "problem",
    /cannot read the setup token file .*setup requires no token: it is not a regular file$/,
    /SETUP_TOKEN_FILE unset/,
  ]);
  const stops = /the gate does not start: it is not a regular file$/;
  await assertCheck(checkAccounts, { env: { ...REMOTE, DATA_DIR } }, ["problem", stops]);
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
  const problem =
    /PROBLEM +accounts .*cannot read the setup token file .*permission denied \(run as/;
  assert.match(stdout, problem);
});

if (isRoot) {
  test("as root, reports a setup token that the owner cannot read", async (t) => {
    const DATA_DIR = await foreignFolder(t);
    const folder = join(DATA_DIR, "..", "tokens");
    await mkdir(folder, { mode: 0o755 });
    const SETUP_TOKEN_FILE = join(folder, "token");
    await writeFile(SETUP_TOKEN_FILE, "the token", { mode: 0o600 });
    const env = { DATA_DIR, SETUP_TOKEN_FILE };
    const denied = ["problem", /requires no token: permission denied/] as const;
    await assertCheck(checkAccounts, { env }, denied);
    await give(SETUP_TOKEN_FILE);
    await assertCheck(checkAccounts, { env }, TOKEN);
    await chmod(folder, 0o700);
    await assertCheck(checkAccounts, { env }, denied);
    await chown(folder, 0, 65_534);
    await chmod(folder, 0o710);
    await assertCheck(checkAccounts, { env }, TOKEN);
  });
}
