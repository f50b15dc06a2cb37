import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsIn } from "../../../src/web/pages/words.ts";
import { startConfigured } from "../../support/gate.ts";
import { elements } from "../../support/markup.ts";

const en = wordsIn("en");

const hrefs = (html: string): readonly (string | undefined)[] =>
  elements(html, "a").map(({ href }) => href);

test("offers a signed-in user to continue, to sign out, or to use another account", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: "/start?a&b" });
  const { status, body } = await gate.send("/login", { session });
  assert.equal(status, 200);
  assert.ok(body.includes(`<h1>${en.welcomeBack}</h1>`));
  assert.ok(body.includes(`<p>${en.signedInAs("owner")}</p>`));
  assert.deepEqual(hrefs(body), ["/start?a&amp;b"]);
  assert.deepEqual(
    elements(body, "form").map(({ action }) => action),
    ["/logout", "/login"],
  );
  assert.deepEqual(elements(body, "details"), [{}], "the form is folded");
});

test("a signed-in user continues to the return target", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { body } = await gate.send("/login?return_to=%2Fpage", { session });
  assert.deepEqual(hrefs(body), ["/page"]);
  const other = await gate.send("/login?return_to=%2F%2Fevil.example%2F", { session });
  assert.deepEqual(hrefs(other.body), ["/"]);
});

test("shows a signed-in user the open form after a failed sign-in with another account", async (t) => {
  const { gate, session } = await startConfigured(t);
  const { body } = await gate.send("/login?error=1", { session });
  assert.deepEqual(elements(body, "details"), [{ open: "" }]);
  assert.ok(body.includes(en.signInFailed));
});
