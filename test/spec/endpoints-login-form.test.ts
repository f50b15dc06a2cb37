import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, startGate } from "../support/gate.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";
const FAILED = "/login?error=1";

const differing: readonly {
  readonly field: "username" | "password";
  readonly what: string;
  readonly stored: string;
  readonly typed: string;
}[] = [
  { field: "username", what: "another case", stored: "Owner", typed: "owner" },
  { field: "username", what: "a leading space", stored: "owner", typed: " owner" },
  { field: "username", what: "a trailing space", stored: "owner", typed: "owner " },
  { field: "username", what: "its space missing", stored: " owner ", typed: "owner" },
  { field: "username", what: "another Unicode form", stored: "Zo\u00eb", typed: "Zoe\u0308" },
  { field: "username", what: "a compatibility letter", stored: "owner", typed: "o\uff57ner" },
  { field: "username", what: "a NUL at its end", stored: "owner", typed: "owner\0" },
  { field: "username", what: "a NUL and more", stored: "owner", typed: "owner\0x" },
  { field: "username", what: "an SQL wildcard", stored: "owner", typed: "own%" },
  { field: "username", what: "nothing in it", stored: "owner", typed: "" },
  { field: "password", what: "another case", stored: "Secret word", typed: "secret word" },
  { field: "password", what: "a leading space", stored: "secret", typed: " secret" },
  { field: "password", what: "a trailing newline", stored: "secret", typed: "secret\n" },
  { field: "password", what: "its spaces missing", stored: " secret ", typed: "secret" },
  { field: "password", what: "another Unicode form", stored: "Zo\u00eb", typed: "Zoe\u0308" },
  { field: "password", what: "its part after a NUL missing", stored: "a\0bcd", typed: "a" },
  {
    field: "password",
    what: "its 100th byte differing",
    stored: `${"x".repeat(99)}1`,
    typed: `${"x".repeat(99)}2`,
  },
  { field: "password", what: "nothing in it", stored: "secret", typed: "" },
];

for (const { field, what, stored, typed } of differing) {
  test(`rejects a ${field} with ${what} and accepts the exact one`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp({ [field]: stored });
    const refused = await gate.signIn({ [field]: typed });
    assert.deepEqual([refused.status, refused.location, refused.cookies], [303, FAILED, []]);
    assert.equal((await gate.signIn({ [field]: stored })).location, "/");
  });
}

test("passes any text through the form unchanged", async (t) => {
  const gate = await startGate(t);
  const odd = { username: "a+b&c=d%41 é \u{1f511}\r\n", password: "+&=%20 \"<'> \ud7ff\u{10ffff}" };
  await gate.setUp(odd);
  assert.equal((await gate.signIn(odd)).location, "/");
});

const username = OWNER.username;
const password = encodeURIComponent(OWNER.password);
const whole = `username=${username}&password=${password}`;

const bodies: readonly {
  readonly rule: string;
  readonly body: string;
  readonly type?: string;
  readonly location: string;
}[] = [
  { rule: "a plain form is read", body: whole, location: "/" },
  {
    rule: "the first password of two counts: right before wrong",
    body: `${whole}&password=wrong`,
    location: "/",
  },
  {
    rule: "the first password of two counts: wrong before right",
    body: `username=${username}&password=wrong&password=${password}`,
    location: FAILED,
  },
  {
    rule: "the first password of two counts, though it is empty",
    body: `username=${username}&password=&password=${password}`,
    location: FAILED,
  },
  {
    rule: "uses the first of two usernames",
    body: `username=nobody&${whole}`,
    location: FAILED,
  },
  {
    rule: "compares field names exactly",
    body: `Username=${username}&PASSWORD=${password}`,
    location: FAILED,
  },
  { rule: "treats a form without fields as a failed sign-in", body: "", location: FAILED },
  {
    rule: "treats a missing password as a failed sign-in",
    body: `username=${username}`,
    location: FAILED,
  },
  {
    rule: "accepts parameters and capitals in the form's content type",
    body: whole,
    type: "Application/X-WWW-Form-URLencoded; charset=UTF-8",
    location: "/",
  },
  { rule: "does not read text/plain as a form", body: whole, type: "text/plain", location: FAILED },
  {
    rule: "does not read JSON as a form",
    body: JSON.stringify(OWNER),
    type: "application/json",
    location: FAILED,
  },
  {
    rule: "does not read a multipart body as a form",
    body: `--b\r\nContent-Disposition: form-data; name="username"\r\n\r\n${OWNER.username}\r\n--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${OWNER.password}\r\n--b--\r\n`,
    type: "multipart/form-data; boundary=b",
    location: FAILED,
  },
];

for (const { rule, body, type = FORM_TYPE, location } of bodies) {
  test(rule, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const answer = await gate.send("/login", { body, headers: { "Content-Type": type } });
    assert.deepEqual([answer.status, answer.location], [303, location]);
  });
}

test("does not read fields from the query string", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const answer = await gate.send(`/login?${whole}`, { form: {} });
  assert.deepEqual([answer.status, answer.location], [303, FAILED]);
  const half = await gate.send(`/login?password=${password}`, { form: { username } });
  assert.equal(half.location, FAILED);
});
