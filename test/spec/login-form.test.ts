import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startConfigured, startGate } from "../support/gate.ts";

const FAILED = "/login?error=1";
const FORM_TYPE = "application/x-www-form-urlencoded";

test("passes any text through the form unchanged", async (t) => {
  const gate = await startGate(t);
  const odd = { username: "a+b&c=d%41 é \u{1f511}\r\n", password: "+&=%20 \"<'> \ud7ff\u{10ffff}" };
  await gate.setUp(odd);
  assert.equal((await gate.signIn(odd)).location, "/");
});

const username = OWNER.username;
const password = encodeURIComponent(OWNER.password);
const whole = `username=${username}&password=${password}`;

/** What a form is and what its fields mean in detail: `test/http`. */
test("POST /login reads a form alone, not another content type or the query", async (t) => {
  const { gate } = await startConfigured(t);
  const json = JSON.stringify(OWNER);
  for (const [path, body, type, status, location] of [
    ["/login", whole, FORM_TYPE, 303, "/"],
    ["/login", whole, "text/plain", 415, undefined],
    ["/login", whole, "multipart/form-data; boundary=b", 415, undefined],
    ["/login", json, "application/json", 415, undefined],
    [`/login?${whole}`, "", FORM_TYPE, 303, FAILED],
  ] as const) {
    const headers = { "Content-Type": type };
    const answer = await gate.send(path, { method: "POST", body, headers });
    assert.deepEqual([answer.status, answer.location], [status, location], `${path} as ${type}`);
  }
});
