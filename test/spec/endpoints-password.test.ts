import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";

const NEW = "another password";
const FORM = changeForm(OWNER.password, NEW);

const INCORRECT = "current password is incorrect";
const TOO_SHORT = "password must be at least 8 characters";

const WRONG = { current_password: "wrong" };
const DIFFERENT = { confirm_password: "something else" };
const SHORT = { new_password: "short", confirm_password: "short" };

/** If two rules are broken, the message is that of the earlier one. */
const refusals: readonly (readonly [flaws: Readonly<Record<string, string>>, message: string])[] = [
  [{ ...DIFFERENT, ...SHORT, current_password: "" }, "all fields are required"],
  [{ ...WRONG, new_password: "", confirm_password: "" }, "all fields are required"],
  [{ ...SHORT, ...DIFFERENT, ...WRONG }, INCORRECT],
  [{ current_password: ` ${OWNER.password}` }, INCORRECT],
  [{ ...SHORT, ...DIFFERENT }, "new passwords do not match"],
  [
    { new_password: "Zo\u00eb Zo\u00eb", confirm_password: "Zoe\u0308 Zoe\u0308" },
    "new passwords do not match",
  ],
  [SHORT, TOO_SHORT],
];

function change(gate: RunningGate, session: string, fields = {}, sending: Sending = {}) {
  return gate.send("/account/password", { ...sending, session, form: { ...FORM, ...fields } });
}

test("rejects a change with the message of the first broken rule", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (const [flaws, message] of refusals) {
    const answer = await change(gate, session, flaws, { headers: { "HX-Request": "true" } });
    assert.equal(answer.status, 422);
    assert.ok(answer.body.includes(`<p class="problem" role="alert">${message}</p>`), answer.body);
    assert.equal(answer.headers["hx-refresh"], undefined);
  }
  assert.equal((await gate.signIn()).location, "/");
});

test("redirects a signed-out change to /login, whatever the form contains", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (const form of [FORM, {}, { ...FORM, ...WRONG }]) {
    const answer = await gate.send("/account/password", { form });
    assert.deepEqual([answer.status, answer.location], [303, "/login"]);
  }
  assert.equal((await gate.signIn()).location, "/");
});

test("redirects a removed user to /login, whatever the form contains", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  // The guard still has the user in its cache, so the rule itself must find that the user is gone.
  assert.equal((await gate.send("/", { session })).status, 200);
  execute(gate.databaseFile, "DELETE FROM users");
  const answer = await change(gate, session, { current_password: "" });
  assert.deepEqual([answer.status, answer.location], [303, "/login"]);
});

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
  assert.deepEqual(
    entries.map(({ type, summary, author }) => [type, summary, author]),
    [
      ["signup", "Created account owner", "system"],
      ["password_change", "Changed password", "system"],
      ["signin", "Signed in as owner", "system"],
    ],
  );
});

test("keeps all sessions valid after a change", async (t) => {
  const gate = await startGate(t);
  const here = await gate.setUp();
  const { session: elsewhere } = await gate.signIn();
  await change(gate, here);
  for (const session of [here, elsewhere]) {
    assert.equal((await gate.send("/", { session })).status, 200);
  }
});

test("a change takes effect at once at another gate with the same database", async (t) => {
  const gate = await startGate(t);
  const other = await startGate(t, { dataDir: gate.dataDir });
  const session = await gate.setUp();
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await change(other, session)).status, 303);
  assert.match((await change(gate, session)).body, />current password is incorrect</);
});
