import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";

const NEW = "another password";
const FORM = changeForm(OWNER.password, NEW);

const TOO_SHORT = "password must be at least 8 characters";

function change(gate: RunningGate, session: string, fields = {}, sending: Sending = {}) {
  return gate.send("/account/password", { ...sending, session, form: { ...FORM, ...fields } });
}

for (const { password, long } of [
  { password: "ééé1", long: false },
  { password: "éééé", long: true },
]) {
  test(`${long ? "accepts" : "rejects"} ${Buffer.byteLength(password)} bytes as a new password`, async (t) => {
    const gate = await startGate(t);
    const session = await gate.setUp();
    const fields = { new_password: password, confirm_password: password };
    const answer = await change(gate, session, fields);
    assert.equal(answer.status, long ? 303 : 422);
    assert.equal(answer.body.includes(TOO_SHORT), !long);
    const signIn = await gate.signIn({ password });
    assert.equal(signIn.location, long ? "/" : "/login?error=1");
  });
}

test("accepts only the new password after a change", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const answer = await change(gate, session);
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/", []]);
  assert.equal((await gate.signIn()).location, "/login?error=1");
  assert.equal((await gate.signIn({ password: NEW })).location, "/");
  assert.match((await change(gate, session)).body, />current password is incorrect</);
  const entries = await gate.logEntries(3);
  const found = entries.map(({ type, summary, author }) => [type, summary, author]);
  assert.deepEqual(found, [
    ["signup", "Created account owner", "system"],
    ["password_change", "Changed password", "system"],
    ["signin", "Signed in as owner", "system"],
  ]);
});

test("a change takes effect at once at another gate with the same database", async (t) => {
  const gate = await startGate(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  const session = await gate.setUp();
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await change(other, session)).status, 303);
  assert.match((await change(gate, session)).body, />current password is incorrect</);
});
