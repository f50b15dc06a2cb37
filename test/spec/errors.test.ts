import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import type { Answer } from "../support/client.ts";
import { execute, refuse } from "../support/database.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";

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

test("an unexpected failure shows the ID of the log, and offers the same page again", async (t) => {
  const { gate, session } = await startConfigured(t);
  execute(gate.databaseFile, "ALTER TABLE latchkey_keys RENAME TO broken");
  const failed = await gate.send("/account/keys?tab=2", { session });
  assert.equal(failed.status, 500);
  const id = String(failed.headers["x-request-id"]);
  assert.ok(failed.body.includes(`<code dir="ltr">${id}</code>`));
  const [copy] = elements(failed.body, "button");
  assert.deepEqual([copy?.["data-copy"], copy?.hidden], [id, ""]);
  // An empty address is the page itself, with its query.
  const [again, ...others] = elements(failed.body, "a");
  assert.deepEqual([again?.class, again?.href, others], ["button", "", []]);

  const form = { key_name: "x" };
  const sent = async (headers: Readonly<Record<string, string>>) => {
    const { status, body } = await gate.send("/account/keys/add", { session, form, headers });
    assert.equal(status, 500);
    return elements(body, "a").map(({ href }) => href);
  };
  const host = new URL(gate.url).host;
  assert.deepEqual(await sent({ Referer: `http://${host}/account/keys?tab=2` }), [
    "/account/keys?tab=2",
  ]);
  assert.deepEqual(await sent({ Referer: "http://evil.example/account/keys" }), ["/apps"]);
  assert.deepEqual(await sent({}), ["/apps"], "a form is never sent again by a link");
});

test("a guest who gets lost is led to the apps, and to no page of an account", async (t) => {
  const { gate } = await startConfigured(t);
  const path = await linkPath(gate, "guest", "visitor", "--groups", "photos");
  const { session } = await gate.send(path, { form: {} });
  const { status, body } = await gate.send("/nothing", { session });
  assert.equal(status, 404);
  assert.deepEqual(
    elements(body, "a").map(({ href }) => href),
    ["/apps"],
  );
});
