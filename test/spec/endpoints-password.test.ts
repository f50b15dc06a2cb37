import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

const NEW = "another password";
const FORM = { current_password: OWNER.password, new_password: NEW, confirm_password: NEW };

const NO_CURRENT = { current_password: "" };
const NO_NEW = { new_password: "" };
const WRONG_CURRENT = { current_password: "wrong" };
const DIFFERENT = { confirm_password: "something else" };
const SHORT = { new_password: "short", confirm_password: "short" };

const REQUIRED = "all fields are required";
const INCORRECT = "current password is incorrect";
const DIFFER = "new passwords do not match";
const TOO_SHORT = "password must be at least 8 characters";

/** Each rule alone. If two rules are broken, the message is that of the earlier one. */
const refusals: readonly {
  readonly flaws: Readonly<Record<string, string>>;
  readonly message: string;
}[] = [
  { flaws: NO_CURRENT, message: REQUIRED },
  { flaws: NO_NEW, message: REQUIRED },
  { flaws: { ...NO_NEW, confirm_password: "" }, message: REQUIRED },
  { flaws: WRONG_CURRENT, message: INCORRECT },
  { flaws: { current_password: ` ${OWNER.password}` }, message: INCORRECT },
  { flaws: { current_password: " " }, message: INCORRECT },
  { flaws: DIFFERENT, message: DIFFER },
  { flaws: { confirm_password: "" }, message: DIFFER },
  {
    flaws: { new_password: "Zo\u00eb Zo\u00eb", confirm_password: "Zoe\u0308 Zoe\u0308" },
    message: DIFFER,
  },
  { flaws: SHORT, message: TOO_SHORT },
  { flaws: { ...NO_NEW, ...WRONG_CURRENT }, message: REQUIRED },
  { flaws: { ...NO_CURRENT, ...DIFFERENT }, message: REQUIRED },
  { flaws: { ...NO_CURRENT, ...SHORT }, message: REQUIRED },
  { flaws: { ...WRONG_CURRENT, ...DIFFERENT }, message: INCORRECT },
  { flaws: { ...WRONG_CURRENT, ...SHORT }, message: INCORRECT },
  { flaws: { ...SHORT, ...DIFFERENT }, message: DIFFER },
];

function change(gate: RunningGate, session: string, fields = {}, sending: Sending = {}) {
  return gate.send("/account/password", { ...sending, session, form: { ...FORM, ...fields } });
}

for (const { flaws, message } of refusals) {
  test(`rejects a change with ${JSON.stringify(flaws)}: ${message}`, async (t) => {
    const gate = await startGate(t);
    const session = await gate.setUp();
    const answer = await change(gate, session, flaws, { headers: { "HX-Request": "true" } });
    assert.equal(answer.status, 422);
    assert.ok(answer.body.includes(`<p class="problem" role="alert">${message}</p>`), answer.body);
    assert.equal(answer.headers["hx-refresh"], undefined);
    assert.equal((await gate.signIn()).location, "/");
  });
}

test("redirects a signed-out change to /login, whatever the form contains", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (const form of [FORM, {}, { ...FORM, ...WRONG_CURRENT }]) {
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
  const answer = await change(gate, session, NO_CURRENT);
  assert.deepEqual([answer.status, answer.location], [303, "/login"]);
});

for (const { password, what, long } of [
  { password: "1234567", what: "seven ASCII characters", long: false },
  { password: "12345678", what: "eight ASCII characters", long: true },
  { password: "ééé1", what: "four characters of seven bytes", long: false },
  { password: "éééé", what: "four characters of two bytes each", long: true },
  { password: "界界", what: "two characters of three bytes each", long: false },
  { password: "界界界", what: "three characters of three bytes each", long: true },
  { password: "\u{1f511}", what: "one character of four bytes", long: false },
  { password: "\u{1f511}\u{1f511}", what: "two characters of four bytes each", long: true },
  { password: "        ", what: "eight spaces", long: true },
  { password: "x".repeat(20_000), what: "twenty thousand characters", long: true },
]) {
  test(`${long ? "accepts" : "rejects"} ${what} as a new password`, async (t) => {
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

test("accepts the current password as the new one", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const same = { new_password: OWNER.password, confirm_password: OWNER.password };
  assert.equal((await change(gate, session, same)).status, 303);
  assert.equal((await gate.signIn()).location, "/");
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

test("of two concurrent changes, one succeeds and the other is rejected", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const passwords = ["first new password", "second new password"];
  const answers = await Promise.all(
    passwords.map((password) =>
      change(gate, session, { new_password: password, confirm_password: password }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 422]);
  const winner = passwords[answers.findIndex(({ status }) => status === 303)] ?? "";
  assert.equal((await gate.signIn({ password: winner })).location, "/");
});
