import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  startConfigured,
  startGate,
} from "../support/gate.ts";

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
  test(`${long ? "takes" : "rejects"} ${Buffer.byteLength(password)} new bytes`, async (t) => {
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
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  assert.equal((await change(other, session)).status, 303);
  assert.match((await change(gate, session)).body, />current password is incorrect</);
});

const START = "/start";
/** The same password again, so that the form works more than once. */
const SAME = changeForm(OWNER.password, OWNER.password);

test("answers a change by htmx with 200 and HX-Refresh, others with a redirect", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: START });
  const changeWith = (headers: Readonly<Record<string, string>>) =>
    gate.send("/account/password", { form: SAME, session, headers });
  const answer = await changeWith({ "HX-Request": "true", Referer: `${gate.url}/settings` });
  assert.deepEqual([answer.status, answer.body, answer.location], [200, "", undefined]);
  assert.equal(answer.headers["hx-refresh"], "true");
  for (const value of ["false", "1", ""]) {
    const { status, location, headers } = await changeWith({ "HX-Request": value });
    assert.deepEqual([status, location, headers["hx-refresh"]], [303, START, undefined], value);
  }
});

/** `{gate}` is replaced by the gate's URL, `{host}` by its host and port. */
const refreshes: readonly (readonly [referer: string | undefined, location: string])[] = [
  ["{gate}/settings?tab=2&a=%20b#password", "/settings?tab=2&a=%20b"],
  ["{gate}", "/"],
  ["https://{host}/behind/tls", "/behind/tls"],
  [undefined, START],
  ["", START],
  ["https://evil.example/settings", START],
  ["http://localhost/settings", START],
  ["http://{host}@evil.example/settings", START],
  ["{gate}//evil.example/", START],
  ["{gate}/\\evil.example/", START],
  ["{gate}/%0d/../..//evil.example", START],
  ["javascript:alert(1)", START],
  ["/settings", START],
];

test("a change redirects to the page that sent the form if it is on this host", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: START });
  for (const [referer, expected] of refreshes) {
    const page = referer?.replace("{gate}", gate.url).replace("{host}", new URL(gate.url).host);
    const headers: Record<string, string> = page === undefined ? {} : { Referer: page };
    const sending = { form: SAME, session, headers };
    const { status, location } = await gate.send("/account/password", sending);
    assert.deepEqual([status, location], [303, expected], `from ${referer}`);
  }
});
