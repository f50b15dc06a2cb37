import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqlite, type SqliteStore } from "../../../src/stores/sqlite/store.ts";
import { startApp } from "../../../test/support/app.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { attackFresh, attackNamed } from "./run-attack.ts";

/** The library on a store that does not write what its rules decide. */
async function attackWith(t: TestContext, flaw: (store: SqliteStore) => Partial<SqliteStore>) {
  const store = await openSqlite({ file: join(await tempDir(t), "flawed.db") });
  const app = await startApp(t, { store: { ...store, ...flaw(store) } });
  return attackFresh({ url: app.url }, attackNamed("passkey-replay"));
}

test("passkey-replay finds nothing on the library", async (t) => {
  const { outcome, findings } = await attackWith(t, () => ({}));
  assert.deepEqual([outcome, findings], ["passed", []]);
});

test("passkey-replay detects a server that forgets the uses of a passkey", async (t) => {
  const { findings } = await attackWith(t, (store) => ({
    replaceExtra: (id, extra, from, to) =>
      from === undefined || to === undefined
        ? store.replaceExtra(id, extra, from, to)
        : Promise.resolve(true),
  }));
  assert.deepEqual(findings, [
    "an answer that was used before",
    "a copy whose counter did not grow",
  ]);
});

test("passkey-replay detects a server that does not remove passkeys", async (t) => {
  const { findings } = await attackWith(t, (store) => ({
    replaceExtra: (id, extra, from, to) =>
      to === undefined ? Promise.resolve(true) : store.replaceExtra(id, extra, from, to),
  }));
  assert.deepEqual(findings, ["a removed passkey"]);
});
