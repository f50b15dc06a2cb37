import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wordsIn } from "../../src/web/pages/words.ts";
import { startApp } from "../support/app.ts";
import type { Answer } from "../support/client.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

const NEW = "another password";
const FORM: Readonly<Record<string, string>> = {
  current_password: OWNER.password,
  new_password: NEW,
  confirm_password: NEW,
};
const SET = "latchkey-notice=password-changed; Path=/; HttpOnly; SameSite=Lax; Max-Age=60";
const CLEARED = "latchkey-notice=; Path=/; HttpOnly; SameSite=Lax; Max-Age=-1";
const CARRIED = "latchkey-notice=password-changed";
const SAID = `<p class="notice" role="status">${wordsIn("en").passwordIsChanged}</p>`;

const isTold = ({ body }: Answer): boolean => body.includes(SAID);

async function signedIn(t: TestContext) {
  const gate = await startGate(t, { postLoginLocation: "/start" });
  const session = await gate.setUp();
  const home = (cookie = "") =>
    gate.send("/", { headers: { Cookie: `session=${session}; ${cookie}` } });
  return { gate, session, home };
}

const change = (
  gate: Pick<RunningGate, "send">,
  session: string | undefined,
  headers: Readonly<Record<string, string>>,
  form = FORM,
) => gate.send("/account/password", { form, session, headers });

test("after a change from the home page, that page says so once", async (t) => {
  const { gate, session, home } = await signedIn(t);
  const changed = await change(gate, session, { Referer: `${gate.url}/` });
  assert.deepEqual([changed.status, changed.location, changed.cookies], [303, "/", [SET]]);
  const told = await home(CARRIED);
  assert.deepEqual([isTold(told), told.cookies], [true, [CLEARED]]);
  const later = await home();
  assert.deepEqual([isTold(later), later.cookies], [false, []]);
});

test("a query at the home page changes nothing about it", async (t) => {
  const { gate, session } = await signedIn(t);
  const changed = await change(gate, session, { Referer: `${gate.url}/?tab=2` });
  assert.deepEqual([changed.location, changed.cookies], ["/?tab=2", [SET]]);
});

test("a change from the form that came back leads to the home page, which says so", async (t) => {
  const { gate, session } = await signedIn(t);
  const headers = { Referer: `${gate.url}/account/password` };
  const again = await change(gate, session, headers, { ...FORM, confirm_password: "x" });
  assert.deepEqual([again.status, again.cookies], [422, []]);
  const changed = await change(gate, session, headers);
  assert.deepEqual([changed.status, changed.location, changed.cookies], [303, "/", [SET]]);
});

test("a change that htmx made from the home page is told when it loads the page again", async (t) => {
  const { gate, session } = await signedIn(t);
  const changed = await change(gate, session, { "HX-Request": "true", Referer: `${gate.url}/` });
  assert.deepEqual([changed.status, changed.headers["hx-refresh"]], [200, "true"]);
  assert.deepEqual(changed.cookies, [SET]);
});

/** Where a change may come from without the home page being concerned. `{gate}` is the gate. */
const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no page that is told": {},
  "a page of the application": { Referer: "{gate}/settings" },
  "a page whose address begins like another": { Referer: "{gate}//" },
  "another page of ours": { Referer: "{gate}/login" },
  "another host": { Referer: "http://evil.example/" },
  "another host's form page": { Referer: "http://evil.example/account/password" },
  "what is no address": { Referer: "/" },
  "a page of the application, by htmx": { Referer: "{gate}/settings", "HX-Request": "true" },
};

for (const [what, headers] of Object.entries(elsewhere)) {
  test(`a change from ${what} sets no notice`, async (t) => {
    const { gate, session } = await signedIn(t);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace("{gate}", gate.url)]),
    );
    const changed = await change(gate, session, sent);
    assert.ok(changed.status < 400);
    assert.deepEqual(changed.cookies, []);
  });
}

test("a change that is refused sets no notice, wherever it comes from", async (t) => {
  const { gate, session } = await signedIn(t);
  const form = { ...FORM, current_password: "wrong" };
  const refused = await change(gate, session, { Referer: `${gate.url}/` }, form);
  assert.deepEqual([refused.status, refused.cookies, isTold(refused)], [422, [], false]);
});

test("a cookie of another content is no notice, and no text for the page", async (t) => {
  const { home } = await signedIn(t);
  for (const value of ["", "1", "<b>", "%3Cb%3E", "password-changed2", "PASSWORD-CHANGED"]) {
    const answer = await home(`latchkey-notice=${value}`);
    assert.deepEqual([answer.status, isTold(answer), answer.cookies], [200, false, []], value);
    assert.doesNotMatch(answer.body, /class="notice"/);
  }
});

test("a notice says nothing to anybody who is not signed in, and stays for whoever is", async (t) => {
  const { gate } = await signedIn(t);
  const answer = await gate.send("/", { headers: { Cookie: CARRIED } });
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, "/login", []]);
});

test("the notice is in the reader's language", async (t) => {
  const { gate, session } = await signedIn(t);
  const headers = { Cookie: `session=${session}; ${CARRIED}`, "Accept-Language": "fr" };
  assert.ok((await gate.send("/", { headers })).body.includes(wordsIn("fr").passwordIsChanged));
});

for (const options of [{ basePath: "/auth" }, { homePath: "/me" }]) {
  test(`the notice is for the home page alone, with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, options);
    const base = options.basePath ?? "";
    const home = options.homePath ?? base;
    const { session } = await app.send(`${base}/setup`, {
      form: { ...OWNER, confirm: OWNER.password },
    });
    const send: RunningGate["send"] = (path, sending) => app.send(`${base}${path}`, sending);
    const changed = await change({ send }, session, { Referer: `${app.url}${home}` });
    assert.equal(changed.location, home);
    assert.deepEqual(changed.cookies, [SET.replace("Path=/", `Path=${home}`)]);
    const told = await app.send(home, { headers: { Cookie: `session=${session}; ${CARRIED}` } });
    assert.deepEqual(told.cookies, [CLEARED.replace("Path=/", `Path=${home}`)]);
  });
}

test("without a home page there is nothing to say it on, and no cookie", async (t) => {
  const app = await startApp(t, { homePath: null, postLoginLocation: "/app" });
  const { session } = await app.send("/setup", { form: { ...OWNER, confirm: OWNER.password } });
  const current = { ...FORM, new_password: OWNER.password, confirm_password: OWNER.password };
  for (const [path, location] of [
    ["/", "/"],
    ["/settings", "/settings"],
    ["/account/password", "/app"],
  ] as const) {
    const changed = await change(app, session, { Referer: `${app.url}${path}` }, current);
    assert.deepEqual(
      [changed.status, changed.location, changed.cookies],
      [303, location, []],
      path,
    );
  }
});

test("over TLS, the notice is a cookie that only this very host can have set, and only over TLS", async (t) => {
  const { gate, session } = await signedIn(t);
  const overTls = { "X-Forwarded-Proto": "https" };
  const changed = await change(gate, session, { Referer: `${gate.url}/`, ...overTls });
  assert.deepEqual(changed.cookies, [
    "__Host-latchkey-notice=password-changed; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=60",
  ]);
  const home = (cookie: string) =>
    gate.send("/", { headers: { Cookie: `session=${session}; ${cookie}`, ...overTls } });
  assert.ok(!isTold(await home(CARRIED)));
  const told = await home(`__Host-${CARRIED}`);
  assert.ok(isTold(told));
  assert.deepEqual(told.cookies, [
    "__Host-latchkey-notice=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=-1",
  ]);
});
