import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { accountsCheck } from "../../../src/server/doctor/accounts.ts";
import { startGate } from "../../support/gate.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { assertFound, type Case, findings } from "./patient.ts";

const OPEN: readonly (readonly [string, Omit<Case, "now">])[] = [
  ["a gate that listens for others", { env: { HOST: "0.0.0.0" } }],
  ["a public address", { env: { PUBLIC_URL: "https://auth.example.org" } }],
  ["an address that is no loopback one", { url: "https://auth.example.org" }],
];

for (const [name, given] of OPEN) {
  test(`without an account and with ${name}, setup is open to strangers, which is wrong`, async (t) => {
    const env = { ...given.env, DATA_DIR: await tempDir(t) };
    assertFound(await findings(accountsCheck, { ...given, env }), [
      "broken",
      /whoever reaches the gate first can make it/,
      /latchkey setup-link/,
    ]);
  });

  test(`with ${name}, a setup token makes it fine, and an empty one does not`, async (t) => {
    const { dataDir: DATA_DIR } = await startGate(t);
    const env = { ...given.env, DATA_DIR };
    await writeFile(join(DATA_DIR, "setup-token"), "\n");
    assertFound(await findings(accountsCheck, { ...given, env }), ["broken", /first can make it/]);
    await writeFile(join(DATA_DIR, "setup-token"), "token\n");
    assertFound(await findings(accountsCheck, { ...given, env }), ["fine", /asks for a token/]);
  });

  test(`with ${name} and an account, there is nothing to say`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const env = { ...given.env, DATA_DIR: gate.dataDir };
    assertFound(await findings(accountsCheck, { ...given, env }), ["fine", /there is an account/]);
  });
}

test("without an account, a gate for this machine alone is fine", async (t) => {
  const { dataDir: DATA_DIR, url } = await startGate(t);
  const found = await findings(accountsCheck, { env: { DATA_DIR }, url });
  assertFound(found, ["fine", /from this machine alone/]);
});

test("a database that cannot be read says nothing about accounts", async (t) => {
  const DATA_DIR = await tempDir(t);
  await writeFile(join(DATA_DIR, "latchkey.db"), "no database".repeat(100));
  assertFound(await findings(accountsCheck, { env: { DATA_DIR, HOST: "0.0.0.0" } }));
});
