import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { elements } from "../../support/markup.ts";
import { addMember } from "../people/at-people.ts";
import { atApps, CALLBACK, PHOTOS } from "./at-apps.ts";

const en = getWords("en");

const authorize = (redirect = CALLBACK): string =>
  `/oidc/authorize?${new URLSearchParams({
    ...{ client_id: "photos", response_type: "code", scope: "openid groups" },
    ...{ redirect_uri: redirect, state: "state" },
  })}`;

test("a step of a sign-in belongs to the browser that began it", async (t) => {
  const { act, open, session, gate } = await atApps(t);
  await act("add", { ...PHOTOS, consent: "1" });
  const begun = await open(authorize());
  const step = begun.location ?? "";
  assert.match(step, /^\/oidc\/interaction\/[\w-]+$/);
  const cookies = begun.cookies.map((cookie) => cookie.split(";")[0]).join("; ");
  const own = { headers: { Cookie: `session=${session}; ${cookies}` } };
  const asked = await open(step, own);
  assert.equal(asked.status, 200);
  assert.ok(asked.body.includes(en.consentTitle("Photos")));
  for (const { status, body } of [
    await open(step),
    await open(step, { form: { answer: "yes" } }),
    await open(step, { session: addMember(gate, "member", "family") }),
  ]) {
    assert.equal(status, 400);
    assert.ok(body.includes(en.messages.signInExpired) && !body.includes("Photos"));
  }
  const answered = await open(step, { ...own, form: { answer: "no" } });
  assert.equal(answered.status, 303);
});

test("a wrong redirect address gets a page that says what to correct, and no redirect", async (t) => {
  const { act, open } = await atApps(t);
  await act("add", PHOTOS);
  for (const redirect of [`${CALLBACK}/`, "https://attacker.example/", "http://localhost/<b>"]) {
    const { status, location, body } = await open(authorize(redirect));
    assert.deepEqual([status, location], [400, undefined]);
    assert.ok(body.includes(en.appRefused) && !body.includes("<b>"));
    assert.deepEqual(elements(body, "form"), []);
  }
});
