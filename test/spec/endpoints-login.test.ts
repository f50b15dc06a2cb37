import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startGate } from "../support/gate.ts";

test("GET /login shows the login page to anybody", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.send("/login");
  assert.equal(answer.status, 200);
  assert.match(answer.body, /<form method="post" action="\/login">/);
});

test("POST /login leads to /setup while there is no account", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.signIn();
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/setup", []]);
});

test("POST /login with the right credentials sets the cookie and leads to /", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const answer = await gate.signIn();
  assert.deepEqual([answer.status, answer.location], [303, "/"]);
  assert.ok(answer.session);
  const entries = await gate.logEntries(2);
  assert.deepEqual(entries.map(({ type, summary, author }) => ({ type, summary, author })).at(-1), {
    type: "signin",
    summary: `Signed in as ${OWNER.username}`,
    author: "system",
  });
});
