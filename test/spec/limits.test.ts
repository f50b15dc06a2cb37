import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, type RunningGate, startGate } from "../support/gate.ts";

/** The redirect targets of `count` sign-ins with the right credentials. */
async function signIns(gate: RunningGate, count: number, from: string): Promise<unknown[]> {
  const locations: unknown[] = [];
  for (let attempt = 1; attempt <= count; attempt += 1) {
    locations.push((await gate.signIn({}, { from })).location);
  }
  return locations;
}

test("limits sign-ins only, not pages, guards or password changes", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({ password: "wrong" });
  const form = changeForm("wrong", "12345678");
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const answer = await gate.send("/account/password", { session, form });
    assert.match(answer.body, />current password is incorrect</);
  }
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await gate.send("/login")).status, 200);
});

test("starts with empty counts after a restart", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await signIns(gate, 6, "127.0.0.7");
  await gate.stop();
  const again = await startGate(t, { dataDir: gate.dataDir });
  assert.deepEqual(await signIns(again, 1, "127.0.0.7"), ["/"]);
});
