import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { maskVaryingParts, postRaw } from "../support/raw.ts";

const FAILED = "/login?error=1";

test("GET /login shows the sign-in page, to a signed-in user as well", async (t) => {
  const gate = await startGate(t);
  for (const session of [undefined, await gate.setUp()]) {
    const answer = await gate.send("/login", { session });
    assert.equal(answer.status, 200);
    assert.match(answer.body, /<form method="post" action="\/login">/);
  }
});

test("GET /login reports a failed attempt if the query has a non-empty error", async (t) => {
  const gate = await startGate(t);
  const reports = async (query: string) =>
    (await gate.send(`/login${query}`)).body.includes('role="alert"');
  for (const query of ["", "?error=", "?other=1"]) assert.equal(await reports(query), false, query);
  for (const query of ["?error=1", "?error=0"]) assert.equal(await reports(query), true, query);
});

test("POST /login redirects to /setup while no account exists", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.signIn();
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/setup", []]);
});

test("POST /login with the right credentials sets the cookie and redirects to /", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const answer = await gate.signIn();
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.equal((await gate.send("/", { session: answer.session })).status, 200);
  const entries = await gate.logEntries(2);
  assert.deepEqual(entries.map(({ type, summary, author }) => ({ type, summary, author })).at(-1), {
    type: "signin",
    summary: `Signed in as ${OWNER.username}`,
    author: "system",
  });
});

test("an unknown username and a wrong password get identical responses", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  const unknown = await postRaw(gate.url, "/login", { ...OWNER, username: "nobody" });
  assert.match(wrong, /^HTTP\/1\.1 303 See Other\r\n/);
  assert.match(wrong, /^Location: \/login\?error=1\r$/im);
  assert.doesNotMatch(wrong, /^Set-Cookie/im);
  assert.equal(maskVaryingParts(unknown), maskVaryingParts(wrong));
});

test("a rate-limited sign-in gets the same response with right and wrong credentials", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const wrong = await postRaw(gate.url, "/login", { ...OWNER, password: "wrong" });
  for (let attempt = 2; attempt <= 5; attempt += 1) await gate.signIn({ password: "wrong" });
  const denied = await postRaw(gate.url, "/login", OWNER);
  assert.equal(maskVaryingParts(denied), maskVaryingParts(wrong));
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.type, "signin_rate_limited");
});

test("does not count attempts made while no account exists", async (t) => {
  const gate = await startGate(t);
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    assert.equal((await gate.signIn()).location, "/setup");
  }
  await gate.setUp();
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await gate.signIn()).location, "/");
  }
  assert.equal((await gate.signIn()).location, FAILED);
});

test("applies the rate limit before it looks up the user", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (let attempt = 1; attempt <= 5; attempt += 1) await gate.signIn();
  execute(gate.databaseFile, "ALTER TABLE users RENAME TO hidden");
  const denied = await gate.signIn();
  assert.deepEqual([denied.status, denied.location], [303, FAILED]);
  const other = await gate.signIn({}, { from: "127.0.0.2" });
  assert.equal(other.status, 500);
});

test("counts an attempt even if the lookup after it fails", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  // Lets the gate see the account; otherwise the check for an account would fail first.
  await gate.send("/setup");
  execute(gate.databaseFile, "ALTER TABLE users RENAME TO hidden");
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await gate.signIn()).status, 500);
  }
  execute(gate.databaseFile, "ALTER TABLE hidden RENAME TO users");
  assert.equal((await gate.signIn()).location, FAILED);
});
