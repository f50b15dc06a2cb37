import assert from "node:assert/strict";
import { test } from "node:test";
import { startGate } from "../support/gate.ts";

const CLEARED = ["session=; Path=/; HttpOnly; Max-Age=-1"];

for (const { who, cookie } of [
  { who: "a signed-in user", cookie: "own" },
  { who: "a client without a cookie", cookie: undefined },
  { who: "a client with an empty cookie", cookie: "" },
  { who: "a client with an invalid cookie", cookie: "nonsense" },
]) {
  test(`POST /logout clears the cookie of ${who} and redirects to /login`, async (t) => {
    const gate = await startGate(t);
    const own = await gate.setUp();
    const session = cookie === "own" ? own : cookie;
    const { status, location, cookies, body, headers } = await gate.send("/logout", {
      form: {},
      session,
    });
    assert.deepEqual([status, location, cookies, body], [303, "/login", CLEARED, ""]);
    assert.equal(headers["clear-site-data"], '"cache"');
  });
}

test("POST /logout does the same while no account exists", async (t) => {
  const gate = await startGate(t);
  const { status, location, cookies } = await gate.send("/logout", { form: {} });
  assert.deepEqual([status, location, cookies], [303, "/login", CLEARED]);
});

test("POST /logout does the same without a body and behind a TLS proxy", async (t) => {
  const gate = await startGate(t);
  const headers = { "X-Forwarded-Proto": "https" };
  const { status, location, cookies } = await gate.send("/logout", { method: "POST", headers });
  assert.deepEqual([status, location, cookies], [303, "/login", CLEARED]);
});

test("signing out in one browser does not end the sessions of other browsers", async (t) => {
  const gate = await startGate(t);
  const here = await gate.setUp();
  const { session: elsewhere } = await gate.signIn();
  await gate.send("/logout", { form: {}, session: here });
  assert.equal((await gate.send("/", { session: elsewhere })).status, 200);
});

test("GET /logout does not sign out", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.send("/logout", { session: await gate.setUp() });
  assert.deepEqual([answer.status, answer.headers.allow, answer.cookies], [405, "POST", []]);
});
