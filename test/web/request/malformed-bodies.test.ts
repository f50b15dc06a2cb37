import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../support/client.ts";
import { OWNER, type RunningGate, startGate } from "../../support/gate.ts";

const FORM = "application/x-www-form-urlencoded";

/** Posts a setup form with this content type and body. */
function postSetup(
  gate: RunningGate,
  type: string | undefined,
  body: string | Uint8Array,
): Promise<Answer> {
  const headers: Readonly<Record<string, string>> =
    type === undefined ? {} : { "Content-Type": type };
  return gate.send("/setup", { method: "POST", body, headers });
}

const COMPLETE = `username=owner&password=${encodeURIComponent("correct horse")}&confirm=correct+horse`;
const JSON_BODY = JSON.stringify({ ...OWNER, confirm: OWNER.password });
const MULTIPART = Object.entries({ ...OWNER, confirm: OWNER.password })
  .map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  .concat("--x--\r\n")
  .join("");

const withoutFields: readonly (readonly [what: string, type: string | undefined, body: string])[] =
  [
    ["JSON", "application/json", JSON_BODY],
    ["JSON that says it is a form", FORM, JSON_BODY],
    ["multipart", "multipart/form-data; boundary=x", MULTIPART],
    ["plain text", "text/plain", COMPLETE],
    ["a form without a content type", undefined, COMPLETE],
    ["a content type that only starts like a form's", `${FORM}-2`, COMPLETE],
    ["an empty content type", "", COMPLETE],
    ["an empty body", FORM, ""],
    ["only separators", FORM, "&&==&="],
  ];

for (const [what, type, body] of withoutFields) {
  test(`reads no fields from ${what}`, async (t) => {
    const gate = await startGate(t);
    const answer = await postSetup(gate, type, body);
    assert.equal(answer.status, 422);
    assert.match(answer.body, /username and password are required/);
    assert.deepEqual(answer.cookies, []);
  });
}

for (const type of [
  `${FORM}; charset=utf-8`,
  `${FORM};charset="UTF-8"`,
  `${FORM} ; charset=iso-8859-1`,
  FORM.toUpperCase(),
]) {
  test(`reads a form with the content type ${type}`, async (t) => {
    const gate = await startGate(t);
    const answer = await postSetup(gate, type, COMPLETE);
    assert.deepEqual([answer.status, answer.location], [303, "/"]);
    assert.equal((await gate.signIn()).location, "/");
  });
}

test("never reads form fields from the query", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.send(`/setup?${COMPLETE}`, {
    body: "x=y",
    headers: { "Content-Type": FORM },
  });
  assert.equal(answer.status, 422);
});

const notUtf8: Readonly<Record<string, Uint8Array>> = {
  "raw bytes": Buffer.concat([Buffer.from(`${COMPLETE}&domain=`), Buffer.from([0xff, 0xfe])]),
  "escaped bytes": Buffer.from(`${COMPLETE}&domain=%FF%FE`),
  "an overlong slash": Buffer.from(`${COMPLETE}&domain=%C0%AF`),
  "a surrogate": Buffer.from(`${COMPLETE}&domain=%ED%A0%80`),
};

for (const [what, body] of Object.entries(notUtf8)) {
  test(`returns 400 to a form that is not UTF-8 and creates no account: ${what}`, async (t) => {
    const gate = await startGate(t);
    const answer = await postSetup(gate, FORM, body);
    assert.equal(answer.status, 400);
    assert.match(answer.body, /not valid UTF-8/);
    assert.equal((await gate.send("/setup")).status, 200, "still without an account");
  });
}

const passwords: Readonly<Record<string, readonly [written: string, typed: string]>> = {
  "a broken percent sign": ["100%", "100%"],
  "a percent sign and letters": ["%zz", "%zz"],
  "a NUL": ["a%00b", "a\0b"],
  "a byte order mark": ["%EF%BB%BFx", "\ufeffx"],
};

for (const [what, [written, typed]] of Object.entries(passwords)) {
  test(`reads a password unchanged: ${what}`, async (t) => {
    const gate = await startGate(t);
    const body = `username=owner&password=${written}&confirm=${written}`;
    assert.equal((await postSetup(gate, FORM, body)).status, 303);
    assert.equal((await gate.signIn({ password: typed })).location, "/");
    assert.equal((await gate.signIn({ password: `${typed} ` })).location, "/login?error=1");
  });
}

test("reads a form of ten thousand fields", async (t) => {
  const gate = await startGate(t);
  const fields = Array.from({ length: 9_997 }, () => "a=b").join("&");
  assert.equal((await postSetup(gate, FORM, `${fields}&${COMPLETE}`)).status, 303);
});

test("treats field names of Object.prototype like any other", async (t) => {
  const gate = await startGate(t);
  const body = "__proto__=x&constructor=y&__proto__[username]=z&toString=&username=&password=";
  const answer = await postSetup(gate, FORM, body);
  assert.equal(answer.status, 422);
  assert.match(answer.body, /username and password are required/);
  assert.equal((await postSetup(gate, FORM, `${body.slice(0, 13)}&${COMPLETE}`)).status, 303);
});

test("uses the first of two values for a field", async (t) => {
  const gate = await startGate(t);
  assert.equal((await postSetup(gate, FORM, `${COMPLETE}&username=second&password=x`)).status, 303);
  assert.equal((await gate.signIn()).location, "/");
});
