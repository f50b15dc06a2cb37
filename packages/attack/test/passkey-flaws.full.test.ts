import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import type { StoreParts } from "../../../src/db/store.ts";
import { startApp } from "../../../test/support/app.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { attackFresh, attackNamed } from "./run-attack.ts";

/** The library on a store whose passkeys do not keep what its rules decide. */
async function attackWith(t: TestContext, flaw: Partial<StoreParts["passkeys"]>) {
  const store = await openSqlite({ file: join(await tempDir(t), "flawed.db") });
  const passkeys = { ...store.passkeys, ...flaw };
  const app = await startApp(t, { store: { ...store, passkeys } });
  return attackFresh({ url: app.url }, attackNamed("passkey-replay"));
}

const yes = async (): Promise<boolean> => true;

test("passkey-replay finds nothing on the library", async (t) => {
  const { outcome, findings } = await attackWith(t, {});
  assert.deepEqual([outcome, findings], ["passed", []]);
});

test("passkey-replay detects a server that forgets the uses of a passkey", async (t) => {
  const { findings } = await attackWith(t, { claimChallenge: yes, use: yes });
  assert.deepEqual(findings, [
    "an answer that was used before",
    "a copy whose counter did not grow",
  ]);
});

test("passkey-replay detects a server that does not remove passkeys", async (t) => {
  const { findings } = await attackWith(t, { remove: yes });
  assert.deepEqual(findings, ["a removed passkey"]);
});
