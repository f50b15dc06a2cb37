import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { countOf, refuse } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";

/** Each causes a logged event and returns the bytes of the response. */
const events: Readonly<Record<string, (gate: RunningGate) => Promise<string>>> = {
  "a setup": (gate) => postRaw(gate.url, "/setup", { ...OWNER, confirm: OWNER.password }),

  "a sign-in": async (gate) => {
    await gate.setUp();
    return postRaw(gate.url, "/login", OWNER);
  },
};

for (const [event, happen] of Object.entries(events)) {
  test(`${event} gets the same bytes if its log entry cannot be inserted`, async (t) => {
    const [whole, broken] = [await startGate(t), await startGate(t)];
    refuse(broken.databaseFile, "INSERT ON latchkey_log", "no room for entries");
    const [usual, unlogged] = [await happen(whole), await happen(broken)];
    assert.match(usual, /^HTTP\/1\.1 303 See Other\r\n/);
    assert.equal(maskVaryingParts(unlogged), maskVaryingParts(usual));
    await eventually(() => broken.serverLog.find(({ reason }) => reason === "no room for entries"));
    assert.equal(countOf(broken.databaseFile, "latchkey_log"), 0);
  });
}

test("a sign-in does not wait for its entry during another's write lock", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await gate.logEntries(1);
  const other = new DatabaseSync(gate.databaseFile);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  const answer = await gate.signIn();
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.equal(countOf(gate.databaseFile, "latchkey_log"), 1);
  other.exec("COMMIT");
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.type, "signin");
});
