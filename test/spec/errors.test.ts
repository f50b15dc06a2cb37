import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { refuse } from "../support/database.ts";
import { getWords } from "../../src/pages/words.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";

const en = getWords("en");
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Asserts that this is the error page with this message. */
function assertErrorPage(answer: Answer, status: number, message: string): void {
  assert.equal(answer.status, status);
  assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
  assert.match(answer.body, /^<!doctype html>/);
  assert.ok(answer.body.includes(`role="alert">${message}</p>`), answer.body);
  assert.deepEqual(answer.cookies, []);
}

test("answers an unknown path with a page that says so", async (t) => {
  const gate = await startGate(t);
  for (const path of ["/nothing", "/login/", "/LOGIN", "/account", "/setup/token", "/latchkey"]) {
    assertErrorPage(await gate.send(path), 404, en.messages.noSuchPage);
  }
  assertErrorPage(await gate.send("/nothing", { form: {} }), 404, en.messages.noSuchPage);
});

for (const { path, allow, refused } of [
  { path: "/login", allow: "GET, HEAD, POST", refused: ["PUT", "PATCH", "DELETE", "OPTIONS"] },
  { path: "/setup", allow: "GET, HEAD, POST", refused: ["PUT", "PATCH", "DELETE", "OPTIONS"] },
  { path: "/logout", allow: "POST", refused: ["GET", "PUT", "DELETE"] },
  { path: "/account/password", allow: "POST", refused: ["GET", "PUT", "DELETE"] },
  { path: "/", allow: "GET, HEAD", refused: ["POST", "DELETE"] },
]) {
  test(`${path} accepts ${allow} and refuses other methods`, async (t) => {
    const { gate, session } = await startConfigured(t);
    for (const method of refused) {
      const answer = await gate.send(path, { method, session });
      const isOpened = method === "GET";
      assertErrorPage(
        answer,
        405,
        isOpened ? "This address only takes forms." : "This method is not allowed here.",
      );
      assert.equal(answer.headers.allow, allow);
    }
  });
}

test("answers HEAD like GET, without the body", async (t) => {
  const gate = await startGate(t);
  for (const path of ["/login", "/setup", "/"]) {
    const [get, head] = [await gate.send(path), await gate.send(path, { method: "HEAD" })];
    assert.deepEqual([head.status, head.location, head.body], [get.status, get.location, ""]);
    assert.equal(head.headers["content-security-policy"], get.headers["content-security-policy"]);
  }
});

test("the error page links to a page that the visitor can open", async (t) => {
  const gate = await startGate(t);
  const nothing = async (session?: string) => (await gate.send("/nothing", { session })).body;
  assert.match(await nothing(), /<a class="button" href="\/setup">/);
  const session = await gate.setUp();
  assert.match(await nothing(), /<a class="button" href="\/login">/);
  assert.match(await nothing(session), /<a class="button" href="\/apps">Your apps</);
});

const TYPED = { username: "o-7Qx", password: "p-8Ry", confirm: "c-9Sz", token: "t-1Aw" };

/** Requests that send a form and get the error page. */
const refusedForms: Readonly<Record<string, (gate: RunningGate) => Promise<Answer>>> = {
  "a setup that fails": (gate) => {
    refuse(gate.databaseFile, "INSERT ON latchkey_users", "no room");
    return gate.send("/setup", { form: { ...TYPED, confirm: TYPED.password } });
  },
  "a form from another site": (gate) =>
    gate.send("/setup", { form: TYPED, headers: { "Sec-Fetch-Site": "cross-site" } }),
  "a form for an unknown path": (gate) => gate.send("/nothing", { form: TYPED }),
  "a form that is not UTF-8": (gate) =>
    gate.send("/setup", {
      body: `${new URLSearchParams(TYPED)}&x=%ff`,
      headers: { "Content-Type": FORM_TYPE },
    }),
};

for (const [what, ask] of Object.entries(refusedForms)) {
  test(`the error page does not repeat any value of ${what}`, async (t) => {
    const { status, body } = await ask(await startGate(t));
    assert.ok(status >= 400, String(status));
    assert.match(body, /role="alert"/);
    for (const value of Object.values(TYPED)) assert.ok(!body.includes(value), value);
  });
}
