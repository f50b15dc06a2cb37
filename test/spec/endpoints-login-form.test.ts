import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startGate } from "../support/gate.ts";

const FAILED = "/login?error=1";

test("compares username and password exactly, without trimming, folding or normalisation", async (t) => {
  const gate = await startGate(t);
  const exact = { username: "Zo\u00eb ", password: ` Secret\0${"x".repeat(99)}1` };
  await gate.setUp(exact);
  const different: readonly Readonly<Record<string, string>>[] = [
    { username: "zo\u00eb " },
    { username: "Zo\u00eb" },
    { username: "Zoe\u0308 " },
    { username: "Zo\u00eb \0" },
    { username: "" },
    { password: exact.password.toLowerCase() },
    { password: exact.password.trim() },
    { password: " Secret" },
    { password: exact.password.replace("1", "2") },
    { password: "" },
  ];
  for (const [i, typed] of different.entries()) {
    const refused = await gate.signIn({ ...exact, ...typed }, { from: `127.0.0.${i + 2}` });
    const told = [refused.status, refused.location, refused.cookies];
    assert.deepEqual(told, [303, FAILED, []], JSON.stringify(typed));
  }
  assert.equal((await gate.signIn(exact)).location, "/");
});

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
  ["the right password before a wrong one", `${whole}&password=wrong`, "/"],
  ["a wrong password before the right one", `password=wrong&${whole}`, FAILED],
  ["field names in another case", whole.replace("password", "PASSWORD"), FAILED],
  ["no field", "", FAILED],
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
