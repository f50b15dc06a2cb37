import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startGate } from "../support/gate.ts";

const FAILED = "/login?error=1";

test("passes any text through the form unchanged", async (t) => {
  const gate = await startGate(t);
  const odd = { username: "a+b&c=d%41 é \u{1f511}\r\n", password: "+&=%20 \"<'> \ud7ff\u{10ffff}" };
  await gate.setUp(odd);
  assert.equal((await gate.signIn(odd)).location, "/");
});

const username = OWNER.username;
const password = encodeURIComponent(OWNER.password);
const whole = `username=${username}&password=${password}`;

/** What a form is and what its fields mean in detail: `test/web/request`. */
const bodies: readonly (readonly [
  what: string,
  body: string,
  location: string,
  type?: string | undefined,
  query?: string,
])[] = [
  ["a form", whole, "/"],
  ["another content type", whole, FAILED, "text/plain"],
  ["fields in the query", "", FAILED, undefined, `?${whole}`],
];

for (const [what, body, location, type, query = ""] of bodies) {
  test(`POST /login with ${what} redirects to ${location}`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const headers = { "Content-Type": type ?? "application/x-www-form-urlencoded" };
    const answer = await gate.send(`/login${query}`, { method: "POST", body, headers });
    assert.deepEqual([answer.status, answer.location], [303, location]);
  });
}
