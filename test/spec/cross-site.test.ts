import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured, startGate } from "../support/gate.ts";

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };

/** The response to an empty form while no account exists, unless the form is refused. */
const endpoints = [
  { path: "/login", status: 303 },
  { path: "/setup", status: 422 },
  { path: "/logout", status: 303 },
  { path: "/account/password", status: 303 },
  { path: "/account/sessions/end", status: 303 },
  { path: "/account/codes/begin", status: 303 },
  { path: "/account/keys/add", status: 303 },
] as const;

/** A few headers; all of them: `test/http/same-origin.test.ts`. */
test("every form is refused if it comes from another site, and only then", async (t) => {
  const gate = await startGate(t);
  const { host } = new URL(gate.url);
  for (const [headers, isRefused] of [
    [{}, false],
    [{ "Sec-Fetch-Site": "cross-site", Origin: `http://${host}` }, true],
    [{ Origin: `https://${host}` }, false],
    [{ Origin: "https://evil.example" }, true],
    [{ Origin: `https://${host}`, "X-Forwarded-Proto": "https" }, false],
    [{ Origin: `http://${host}`, "X-Forwarded-Proto": "https" }, true],
  ] as const) {
    for (const { path, status } of endpoints) {
      const answer = await gate.send(path, { form: {}, headers });
      const what = `${path} with ${JSON.stringify(headers)}`;
      assert.equal(answer.status, isRefused ? 403 : status, what);
      assert.equal(answer.body.includes("This form was sent from another site."), isRefused, what);
    }
  }
});

test("sign-ins from another site fail and do not count as attempts", async (t) => {
  const { gate } = await startConfigured(t);
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const answer = await gate.signIn({}, { headers: CROSS_SITE });
    assert.deepEqual([answer.status, answer.cookies], [403, []]);
  }
  assert.equal((await gate.signIn()).location, "/");
});

test("links from other sites open the pages", async (t) => {
  const { gate, session } = await startConfigured(t);
  assert.equal((await gate.send("/login", { headers: CROSS_SITE })).status, 200);
  for (const path of ["/apps", "/account/profile", "/account/sign-in", "/account/history"]) {
    assert.equal((await gate.send(path, { session, headers: CROSS_SITE })).status, 200, path);
  }
});
