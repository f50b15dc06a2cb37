import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addUser } from "../support/add-user.ts";
import { startConfiguredApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { elements, fieldNamed } from "../support/markup.ts";
import { inSeconds, inThePast, mint } from "../support/mint.ts";
import { turnCodesOn } from "../support/one-time-codes.ts";

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

const PASSKEY = "SELECT 'AQ', id, 'Phone', '', 0, 0, NULL FROM latchkey_users";

const addPasskeyTo = (databaseFile: string, username: string): void =>
  execute(databaseFile, `INSERT INTO latchkey_passkeys ${PASSKEY} WHERE username = '${username}'`);

const namesIn = (html: string): readonly (string | undefined)[] =>
  elements(html, "input")
    .filter(({ type }) => type !== "hidden")
    .map(({ name }) => name);

const actionsIn = (html: string) => elements(html, "form").map(({ action }) => action);

/** A page for a user with an old session, and how it changes with the factors of accounts. */
async function withFactors(t: TestContext) {
  const { gate, session } = await startConfigured(t, { publicUrl: "https://auth.example.org" });
  const old = inThePast(session);
  const open = async (path = KEYS, as = old) =>
    (await gate.send(path, { session: as, headers: HOST })).body;
  return { gate, session, old, open };
}

test("confirming offers a button of its own name and a way back, and no sign-out", async (t) => {
  const { open } = await withFactors(t);
  const page = await open();
  const buttons = [...page.matchAll(/<button type="submit"[^>]*>([^<]*)/g)].map(([, text]) => text);
  assert.deepEqual(buttons, [en.confirmIt]);
  assert.deepEqual(actionsIn(page), ["/login"]);
  const links = elements(page, "a").map(({ href }) => href);
  assert.deepEqual(links, ["/account/keys"]);
  assert.ok(page.includes(`>${en.cancel}</a>`));
});

test("cancelling leads to a page of the account or to the first page, never elsewhere", async (t) => {
  const { open } = await withFactors(t);
  for (const [target, to] of [
    ["/account/keys?tab=2", "/account/keys?tab=2"],
    ["https://auth.example.org/account/keys", "/apps"],
    ["/accounts", "/apps"],
    ["/account/%2e%2E/login", "/apps"],
    ["/account/../login", "/apps"],
    ["//evil.example/account/", "/apps"],
    ["https://evil.example/account/", "/apps"],
    ["javascript:alert(1)//account/", "/apps"],
    ["/oidc/interaction/x", "/apps"],
    ["", "/apps"],
  ] as const) {
    const page = await open(`/login?again=1&return_to=${encodeURIComponent(target)}`);
    assert.deepEqual(
      elements(page, "a").map(({ href }) => href),
      [to],
      target,
    );
  }
});

test("confirming offers what this account uses, whatever other accounts use", async (t) => {
  const { gate, open, session, old } = await withFactors(t);
  const ann = addUser(gate, "ann");
  await turnCodesOn(
    { send: (path, sending) => gate.send(path, { ...sending, headers: HOST }) },
    mint({ user_id: "id of ann", iat: inSeconds(0), exp: inSeconds(600) }),
  );
  addPasskeyTo(gate.databaseFile, "ann");
  // Visitors are offered what any account uses.
  await eventually(async () => {
    const { body } = await gate.send("/login", { headers: HOST });
    return (body.includes('name="code"') && body.includes("/login/passkey")) || undefined;
  });
  const own = await open();
  assert.deepEqual(namesIn(own), ["username", "password"]);
  assert.deepEqual(actionsIn(own), ["/login"]);
  const hers = await open(KEYS, ann);
  assert.deepEqual(namesIn(hers), ["username", "password", "code", "remember_device"]);
  assert.deepEqual(actionsIn(hers), ["/login", "/login/passkey"]);
  assert.ok(!hers.includes(en.withoutCode), "her password alone is not enough");

  const factorPage = await open("/login?factor=2&return_to=%2Faccount%2Fkeys", session);
  assert.ok(factorPage.includes(en.oneMoreStep), "ann's factors are not the owner's");
  assert.ok((await open(KEYS, old)).includes(en.confirm));
});

test("offers no password to a user whose passkey alone is a second factor", async (t) => {
  const { gate, open, session } = await withFactors(t);
  addPasskeyTo(gate.databaseFile, OWNER.username);
  const page = await eventually(async () => {
    const body = await open("/login?factor=2&return_to=%2Faccount%2Fkeys", session);
    return body.includes("/login/passkey") ? body : undefined;
  });
  assert.ok(page.includes(en.confirm) && page.includes(en.passkeysNeedScript));
  assert.deepEqual(actionsIn(page), ["/login/passkey"]);
  assert.deepEqual(namesIn(page), []);
  const [button] = elements(page, "button");
  assert.equal(button?.class, undefined, "it is the main button");
  assert.deepEqual(
    elements(page, "a").map(({ href }) => href),
    ["/account/keys"],
  );
  // To confirm without a second factor, the password is enough.
  assert.deepEqual(actionsIn(await open()), ["/login", "/login/passkey"]);
});

test("offers what any account uses while the factors cannot be read", async (t) => {
  const { gate, open } = await withFactors(t);
  execute(gate.databaseFile, "ALTER TABLE latchkey_passkeys RENAME TO away");
  const page = await open();
  assert.ok(page.includes(en.confirm) && namesIn(page).includes("password"));
});
