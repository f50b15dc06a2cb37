import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { startApp } from "../support/app.ts";
import type { Answer } from "../support/client.ts";
import {
  changeForm,
  OWNER,
  type RunningGate,
  SETUP_FORM,
  startConfigured,
} from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const NEW = "another password";
const FORM: Readonly<Record<string, string>> = changeForm(OWNER.password, NEW);
/** The same password again, so that the form works more than once. */
const UNCHANGED = changeForm(OWNER.password, OWNER.password);
const SET = "latchkey-notice=passwordIsChanged; Path=/; HttpOnly; SameSite=Lax; Max-Age=60";
const CLEARED = "latchkey-notice=; Path=/; HttpOnly; SameSite=Lax; Max-Age=-1";
const CARRIED = "latchkey-notice=passwordIsChanged";
const NOTICE = `<p class="notice" role="status">${getWords("en").notices.passwordIsChanged}</p>`;

/** The page with the password form. */
const PAGE = "/account/sign-in";

const showsNotice = ({ body }: Answer): boolean => body.includes(NOTICE);

async function signedIn(t: TestContext) {
  const { gate, session } = await startConfigured(t, { postLoginLocation: "/start" });
  const page = (cookie = "") =>
    gate.send(PAGE, { headers: { Cookie: `session=${session}; ${cookie}` } });
  return { gate, session, page };
}

const change = (
  gate: Pick<RunningGate, "send">,
  session: string | undefined,
  headers: Readonly<Record<string, string>>,
  form = FORM,
) => gate.send("/account/password", { form, session, headers });

test("the page shows the notice once after a change from it", async (t) => {
  const { gate, session, page } = await signedIn(t);
  const changed = await change(gate, session, { Referer: gate.url + PAGE });
  assert.deepEqual([changed.status, changed.location, changed.cookies], [303, PAGE, [SET]]);
  const shown = await page(CARRIED);
  assert.deepEqual([showsNotice(shown), shown.cookies], [true, [CLEARED]]);
  const later = await page();
  assert.deepEqual([showsNotice(later), later.cookies], [false, []]);
  const headers = { Cookie: `session=${session}; ${CARRIED}`, "Accept-Language": "fr" };
  const french = getWords("fr").notices.passwordIsChanged;
  assert.ok((await gate.send(PAGE, { headers })).body.includes(french));
});

test("a change from the page, also with a problem or a query, sets the notice", async (t) => {
  const { gate, session } = await signedIn(t);
  for (const [page, location, cookies] of [
    [PAGE, PAGE, [SET]],
    [`${PAGE}?tab=2`, `${PAGE}?tab=2`, [SET]],
    ["/account/password", PAGE, [SET]],
    ["/settings", "/settings", []],
  ] as const) {
    const changed = await change(gate, session, { Referer: gate.url + page }, UNCHANGED);
    assert.deepEqual([changed.status, changed.location], [303, location]);
    assert.deepEqual(changed.cookies, cookies, page);
  }
});

test("each page that follows shows the notice, and a redirect leaves it to the next page", async (t) => {
  const { gate, session } = await startConfigured(t, { publicUrl: "http://localhost" });
  const headers = { Cookie: `session=${session}; ${CARRIED}` };
  const names = ["profile", "sign-in", "devices", "access", "keys", "history"];
  for (const page of ["/apps", ...names.map((name) => `/account/${name}`)]) {
    const shown = await gate.send(page, { headers });
    assert.deepEqual([showsNotice(shown), shown.cookies], [true, [CLEARED]], page);
  }
  for (const page of ["/", "/account/"]) {
    const { status, cookies } = await gate.send(page, { headers });
    assert.deepEqual([status, cookies], [303, []], page);
  }
});

test("ignores a notice cookie with any other value and does not show its text", async (t) => {
  const { page } = await signedIn(t);
  for (const value of ["", "1", "<b>", "%3Cb%3E", "passwordIsChanged2", "PASSWORDISCHANGED"]) {
    const answer = await page(`latchkey-notice=${value}`);
    assert.deepEqual([answer.status, showsNotice(answer), answer.cookies], [200, false, []], value);
    assert.doesNotMatch(answer.body, /class="notice"/);
  }
});

for (const options of [{ basePath: "/auth" }, { homePath: "/me" }]) {
  test(`redirects to the page with a notice, with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, options);
    const base = options.basePath ?? "";
    const page = `${base}${PAGE}`;
    const { session } = await app.send(`${base}/setup`, { form: SETUP_FORM });
    const send: RunningGate["send"] = (path, sending) => app.send(`${base}${path}`, sending);
    const changed = await change({ send }, session, { Referer: `${app.url}${page}` });
    assert.equal(changed.location, page);
    assert.deepEqual(changed.cookies, [SET]);
    const shown = await app.send(page, { headers: { Cookie: `session=${session}; ${CARRIED}` } });
    assert.deepEqual(shown.cookies, [CLEARED]);
    const formPage = { Referer: `${app.url}${base}/account/password` };
    const again = await change({ send }, session, formPage, { ...FORM, current_password: NEW });
    assert.deepEqual([again.location, again.cookies], [page, [SET]]);
  });
}

test("uses a __Host- cookie for the notice over TLS and ignores the plain one", async (t) => {
  const { gate, session } = await signedIn(t);
  const overTls = { "X-Forwarded-Proto": "https" };
  const changed = await change(gate, session, { Referer: gate.url + PAGE, ...overTls });
  assert.deepEqual(changed.cookies, [
    "__Host-latchkey-notice=passwordIsChanged; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60",
  ]);
  const page = (cookie: string) =>
    gate.send(PAGE, { headers: { Cookie: `session=${session}; ${cookie}`, ...overTls } });
  assert.ok(!showsNotice(await page(CARRIED)));
  const shown = await page(`__Host-${CARRIED}`);
  assert.ok(showsNotice(shown));
  assert.deepEqual(shown.cookies, [
    "__Host-latchkey-notice=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=-1",
  ]);
});

test("every action tells what it did, on the page that it was done on", async (t) => {
  const { gate, session } = await signedIn(t);
  const other = await gate.signIn();
  const browser = { Accept: "text/html" };
  const done = async (path: string, form: Readonly<Record<string, string>>) => {
    const answer = await gate.send(path, { session, form, headers: browser });
    const [, notice] = /latchkey-notice=(\w+);/.exec(answer.cookies.join(" ")) ?? [];
    return [answer.location, notice];
  };
  const { jti } = partsOf(other.session ?? "").claims;
  const ended = { session: String(jti) };
  const sessions = "/account/devices";
  assert.deepEqual(await done("/account/sessions/end", ended), [sessions, "sessionIsEnded"]);
  assert.deepEqual(await done("/account/sessions/end", ended), [sessions, undefined], "again");
  assert.deepEqual(await done("/account/codes/off", {}), [PAGE, undefined]);
  const passkeys = [PAGE, "passkeyIsRemoved"];
  assert.deepEqual(await done("/account/passkeys/remove", { passkey: "x" }), passkeys);
  assert.deepEqual(await done("/logout", {}), ["/login", "signedOut"]);
  assert.deepEqual(await done("/account/sessions/end", ended), ["/login", "sessionExpired"]);
  const again = await gate.signIn({ again: "1" });
  assert.match(again.cookies.join(), /latchkey-notice=isConfirmed; Path=\/;/);
});

test("the sign-in page tells once what a sign-out everywhere, or a form without a session, has done", async (t) => {
  const { gate, session } = await startConfigured(t);
  const noticesOf = async (path: string, form: Readonly<Record<string, string>>) => {
    const answer = await gate.send(path, { session, form, headers: { Accept: "text/html" } });
    assert.deepEqual([answer.status, answer.location], [303, "/login"]);
    return [...answer.cookies.join(" ").matchAll(/latchkey-notice=(\w+);/g)].map(
      ([, name]) => name,
    );
  };
  assert.deepEqual(await noticesOf("/account/sessions/end", { session: "all" }), ["signedOut"]);
  for (const path of ["/account/sessions/end", "/account/password", "/account/people/invite"])
    assert.deepEqual(await noticesOf(path, {}), ["sessionExpired"], path);
});

test("the sign-in page and the pages of the account show every notice", async (t) => {
  const { gate, page } = await signedIn(t);
  for (const [notice, text] of Object.entries(getWords("en").notices)) {
    const headers = { Cookie: `latchkey-notice=${notice}` };
    for (const { body } of [await gate.send("/login", { headers }), await page(headers.Cookie)]) {
      assert.ok(body.includes(` role="status">${text}</p>`), notice);
    }
  }
});
