import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { startConfiguredApp } from "../support/app.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { elements, fieldNamed } from "../support/markup.ts";
import { inSeconds, inThePast, mint } from "../support/mint.ts";

const en = getWords("en");
const HOST = { Host: "auth.example.org" };
const BROWSER = { ...HOST, Accept: "text/html" };
const BEGIN_CODES = "/account/codes/begin";

const confirmAt = (place: string): string =>
  `/login?again=1&return_to=${encodeURIComponent(place)}`;
const SIGN_IN_METHODS = confirmAt("/account/sign-in");
const KEYS = confirmAt("/account/keys");

async function withOldSession(t: TestContext) {
  const { gate, session } = await startConfigured(t);
  return { gate, session: inThePast(session), recent: session };
}

for (const [path, location] of [
  [BEGIN_CODES, SIGN_IN_METHODS],
  ["/account/codes/renew", SIGN_IN_METHODS],
  ["/account/codes/off", SIGN_IN_METHODS],
  ["/account/passkeys/begin", SIGN_IN_METHODS],
  ["/account/passkeys/rename", SIGN_IN_METHODS],
  ["/account/passkeys/remove", SIGN_IN_METHODS],
  ["/account/keys/add", KEYS],
  ["/account/keys/revoke", KEYS],
] as const) {
  test(`${path} leads a session of eleven minutes to the sign-in`, async (t) => {
    const { gate, session } = await withOldSession(t);
    const form = await gate.send(path, { session, form: {}, headers: BROWSER });
    assert.deepEqual([form.status, form.location, form.cookies], [303, location, []]);
    const call = await gate.send(path, { session, form: {}, headers: HOST });
    assert.equal(call.status, 403);
    assert.deepEqual(JSON.parse(call.body), { error: "sign_in_not_recent", location });
    assert.equal(call.headers["hx-redirect"], location);
  });
}

test("the sign-in asks the same user again, and leads back to the change", async (t) => {
  const { gate, session } = await withOldSession(t);
  const page = await gate.send(SIGN_IN_METHODS, { session });
  assert.ok(page.body.includes(en.confirm));
  const { value, hidden } = fieldNamed(page.body, "username");
  assert.deepEqual([value, hidden], [OWNER.username, ""]);
  assert.ok(!page.body.includes(en.continue), "no way around the password");

  const fields = { return_to: "/account/sign-in", again: "1" };
  const wrong = await gate.signIn({ ...fields, password: "wrong" }, { session });
  const again = "/login?error=1&again=1&return_to=%2Faccount%2Fsign-in";
  assert.deepEqual([wrong.location, wrong.cookies], [again, []]);
  assert.ok((await gate.send(again, { session })).body.includes(en.confirm));

  const right = await gate.signIn(fields, { session });
  assert.equal(right.location, "/account/sign-in");
  const begun = await gate.send(BEGIN_CODES, { session: right.session, form: {} });
  assert.equal(begun.status, 200);
  assert.equal(
    (await gate.send("/account/profile", { session })).location,
    "/login",
    "it is replaced",
  );
});

test("asks a user who has confirmed, or is signed out, for nothing more", async (t) => {
  const { gate, recent } = await withOldSession(t);
  const back = await gate.send(SIGN_IN_METHODS, { session: recent });
  const links = elements(back.body, "a").map(({ href }) => href);
  assert.ok(links.includes("/account/sign-in"));
  const signedOut = await gate.send(SIGN_IN_METHODS);
  assert.ok(
    signedOut.body.includes(en.signInTo("Latchkey")) && !signedOut.body.includes(en.confirm),
  );
});

test("only the token that the guard admits counts, not a recent one beside it", async (t) => {
  const { gate, session, recent } = await withOldSession(t);
  const send = (Cookie: string) => gate.send(BEGIN_CODES, { form: {}, headers: { Cookie } });
  assert.equal((await send(`session=${session}; session=${recent}`)).status, 403);
  const forged = mint({ user_id: "1", iat: inSeconds(0), exp: inSeconds(60) }, { secret: "other" });
  assert.equal((await send(`session=${forged}; session=${session}`)).status, 403);
});

test("what was begun in time is completed after the ten minutes", async (t) => {
  const { gate, session, recent } = await withOldSession(t);
  const begun = await gate.send(BEGIN_CODES, { session: recent, form: {} });
  const form = { sealed: fieldNamed(begun.body, "sealed").value ?? "", code: "000" };
  const confirm = await gate.send("/account/codes/confirm", { session, form });
  assert.ok(confirm.body.includes(en.messages.codeIncorrect));
});

test("an app without returnTo leads back to the page of the account or its start", async (t) => {
  for (const [homePath, place] of [
    ["/me", "/account/sign-in"],
    [null, undefined],
  ] as const) {
    const options = { homePath, postLoginLocation: "/start" };
    const { app, session } = await startConfiguredApp(t, options);
    const headers = { ...BROWSER, Referer: "http://auth.example.org/own" };
    const remove = { session: inThePast(session), form: {}, headers };
    const { location = "" } = await app.send("/account/passkeys/remove", remove);
    assert.equal(location, place === undefined ? "/login?again=1" : confirmAt(place));
    const form = { ...OWNER, return_to: place ?? "/own", again: "1" };
    const { location: next } = await app.send("/login", { form });
    assert.equal(next, place ?? "/start");
  }
});

test("an app with returnTo and a page of its own leads back to that page", async (t) => {
  const options = { homePath: null, guards: { returnTo: true } };
  const { app, session } = await startConfiguredApp(t, options);
  const headers = { ...BROWSER, Referer: "http://auth.example.org/own?tab=2" };
  const remove = { session: inThePast(session), form: {}, headers };
  const { location } = await app.send("/account/passkeys/remove", remove);
  assert.equal(location, confirmAt("http://auth.example.org/own?tab=2"));
});
