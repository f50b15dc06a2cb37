import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Unavailable } from "../../src/lib/fault.ts";
import { NOT_FOUND } from "../adapters/framework.ts";
import { type RunningApp, startApp, startConfiguredApp } from "../support/app.ts";
import type { Answer, Sending } from "../support/client.ts";
import { OWNER, SETUP_FORM, startConfigured } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { codeShown, turnCodesOn } from "../support/one-time-codes.ts";
import type { AppOptions } from "../support/options.ts";
import { openStore, openStoreAround, summariesIn } from "../support/store.ts";

const API = { api: true } as const;
const JSON_TYPE = { "Content-Type": "application/json" };
const NEW = "another horse";
const POSTS = ["/api/sign-in", "/api/sign-out", "/api/password"] as const;

const post = (app: RunningApp, path: string, body: unknown, sending: Sending = {}) =>
  app.send(path, {
    ...sending,
    body: JSON.stringify(body),
    headers: { ...JSON_TYPE, ...sending.headers },
  });

const signIn = (app: RunningApp, fields: object = {}, sending: Sending = {}) =>
  post(app, "/api/sign-in", { ...OWNER, ...fields }, sending);

const passwords = (fields: object = {}): object => ({
  currentPassword: OWNER.password,
  newPassword: NEW,
  confirmPassword: NEW,
  ...fields,
});

const shown = ({ status, body }: Answer): readonly [number, unknown] => [status, JSON.parse(body)];

/** The user that the setup makes, with the ID of the answer. */
const owner = ({ body }: Answer) => {
  const { id } = JSON.parse(body).user;
  assert.match(id, /^[\w-]+$/);
  return { id, username: "owner", groups: ["admins"] };
};

const withoutToken = (cookies: readonly string[]): readonly string[] =>
  cookies.map((cookie) => cookie.replace(/=[^;]+/, "=*"));

async function withCodes(t: TestContext, options: AppOptions = {}) {
  const started = await startConfiguredApp(t, { ...API, ...options });
  const { key } = await turnCodesOn(started.app, started.session);
  return { ...started, key };
}

test("without the option, the paths belong to the app", async (t) => {
  const { app } = await startConfiguredApp(t);
  for (const path of POSTS) {
    const answer = await post(app, path, OWNER);
    assert.deepEqual([answer.status, answer.body, answer.cookies], [404, NOT_FOUND, []], path);
  }
  const session = await app.send("/api/session");
  assert.deepEqual([session.status, session.body], [404, NOT_FOUND]);
});

test("the gate has no paths for own forms", async (t) => {
  const { gate } = await startConfigured(t);
  for (const path of [...POSTS, "/api/session"]) {
    assert.equal((await gate.send(path)).status, 404, path);
  }
});

test("signs in with the cookie of the page, below the base path", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  for (const headers of [{}, { "X-Forwarded-Proto": "https" }]) {
    const page = await app.send("/login", { form: OWNER, headers });
    const answer = await signIn(app, {}, { headers });
    assert.deepEqual(shown(answer), [200, { user: owner(answer) }]);
    assert.deepEqual(withoutToken(answer.cookies), withoutToken(page.cookies));
    assert.equal(answer.cookies.length, 1);
    assert.equal(answer.headers["content-type"], "application/json");
    assert.equal(answer.headers["cache-control"], "no-store");
    const { session } = answer;
    assert.equal((await app.send("/operation", { session })).body, "for owner");
  }
  const below = await startApp(t, { ...API, basePath: "/auth" });
  await below.send("/auth/setup", { form: SETUP_FORM });
  assert.equal((await post(below, "/auth/api/sign-in", OWNER)).status, 200);
  assert.equal((await post(below, "/api/sign-in", OWNER)).status, 404);
});

test("rejects a wrong user, a wrong password and a missing or wrong code in the same way", async (t) => {
  const { app, key } = await withCodes(t);
  const code = codeShown(key, 1);
  for (const fields of [
    { username: "nobody", code },
    { password: "wrong", code },
    {},
    { code: "000000" },
  ]) {
    const answer = await signIn(app, fields);
    const { date, "x-request-id": id, ...headers } = answer.headers;
    assert.ok(date && id);
    assert.deepEqual(shown(answer), [401, { error: "rejected" }]);
    assert.deepEqual(headers, {
      ...{ "cache-control": "no-store", "x-content-type-options": "nosniff" },
      ...{ "referrer-policy": "same-origin", "x-frame-options": "DENY" },
      "content-security-policy": headers["content-security-policy"],
      "www-authenticate": 'Cookie cookie-name="session"',
      ...{ "content-type": "application/json", "content-length": "20", connection: "close" },
    });
  }
  assert.equal((await signIn(app, { code })).status, 200);
});

test("counts attempts together with the page, and logs the same entries", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { ...API, store });
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    assert.equal((await signIn(app, { password: "wrong" })).status, 401);
  }
  assert.equal((await app.send("/login", { form: OWNER })).location, "/");
  assert.equal((await signIn(app)).status, 200);
  const denied = await signIn(app);
  assert.deepEqual(shown(denied), [429, { error: "rate_limited" }]);
  assert.deepEqual([denied.headers["retry-after"], denied.cookies], ["60", []]);
  assert.equal((await app.send("/login", { form: OWNER })).location, "/login?error=1");
  assert.equal((await signIn(app, {}, { from: "127.0.0.2" })).status, 200);
  await app.auth.close();
  assert.deepEqual(await summariesIn(store), [
    "Created account owner",
    "Signed in as owner",
    "Signed in as owner",
    "Rate limited login from 127.0.0.1",
    "Rate limited login from 127.0.0.1",
    "Signed in as owner",
  ]);
  const refused = app.log.map(({ message }) => message);
  const rejected = Array(3).fill("sign-in rejected");
  assert.deepEqual(refused, [...rejected, ...Array(2).fill("sign-in rate-limited")]);
});

test("an empty sign-in is an attempt, as on the page", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  for (const body of ["{}", "", '{"username":""}', '{"other":1}', "{}"]) {
    const answer = await app.send("/api/sign-in", { body, headers: JSON_TYPE });
    assert.deepEqual(shown(answer), [401, { error: "rejected" }]);
  }
  assert.equal((await app.send("/login", { form: OWNER })).location, "/login?error=1");
});

test("while no account exists, only size and origin come before that", async (t) => {
  const app = await startApp(t, API);
  const bodies = ["{}", "{", '{"username":1}', '{"currentPassword":1}', "\ufeff{}", "[]"];
  for (const path of POSTS) {
    for (const body of bodies) {
      const answer = await app.send(path, { body, headers: JSON_TYPE });
      const isSignOut = path === "/api/sign-out" && /^{"|^{}/.test(body);
      if (isSignOut) assert.equal(answer.status, 200, body);
      else assert.deepEqual(shown(answer), [409, { error: "needs_setup" }], `${path} ${body}`);
    }
    assert.equal((await app.send(path, { form: OWNER })).status, 409);
    const large = await app.send(path, { body: `{"a":"${"x".repeat(66_000)}"}` });
    assert.deepEqual(shown(large), [413, { error: "body_unreadable" }]);
    const headers = { "Sec-Fetch-Site": "cross-site" };
    const foreign = await post(app, path, {}, { headers });
    assert.deepEqual(shown(foreign), [403, { error: "cross_site" }]);
  }
  assert.deepEqual(shown(await app.send("/api/session")), [200, { user: null }]);
});

test("the user comes before what is wrong with a new password's fields", async (t) => {
  const { app, session } = await startConfiguredApp(t, API);
  for (const body of ["{}", "{", '{"newPassword":1}']) {
    const headers = JSON_TYPE;
    const answer = await app.send("/api/password", { body, headers, session: "forged" });
    assert.deepEqual(shown(answer), [401, { error: "sign_in_required" }]);
    assert.equal(answer.headers["www-authenticate"], 'Cookie cookie-name="session"');
    const signedIn = await app.send("/api/password", { body, headers, session });
    assert.ok([400, 422].includes(signedIn.status));
  }
});

/** What is wrong, what the page shows, and what the answer is. */
const passwordProblems = [
  [{ currentPassword: "", newPassword: "" }, "field_missing", ["currentPassword", "newPassword"]],
  [{ currentPassword: "", confirmPassword: "x" }, "field_missing", ["currentPassword"]],
  [{ newPassword: "", confirmPassword: "x" }, "field_missing", ["newPassword"]],
  [
    { currentPassword: "wrong", newPassword: "short", confirmPassword: "x" },
    "current_password_incorrect",
    ["currentPassword"],
  ],
  [
    { newPassword: "short", confirmPassword: "x" },
    "new_passwords_differ",
    ["newPassword", "confirmPassword"],
  ],
  [{ newPassword: "short", confirmPassword: "short" }, "new_password_too_short", ["newPassword"]],
  [{ newPassword: "ééé", confirmPassword: "ééé" }, "new_password_too_short", ["newPassword"]],
] as const;

const MESSAGES: Readonly<Record<string, string>> = {
  field_missing: "all fields are required",
  current_password_incorrect: "current password is incorrect",
  new_passwords_differ: "new passwords do not match",
  new_password_too_short: "password must be at least 8 characters",
};

test("finds the problems of a new password that the page finds, in its order", async (t) => {
  const { app, session } = await startConfiguredApp(t, API);
  for (const [flaws, error, fields] of passwordProblems) {
    const entered: Readonly<Record<string, string>> = { ...passwords(), ...flaws };
    const answer = await post(app, "/api/password", entered, { session });
    assert.deepEqual(shown(answer), [422, { error, fields }]);
    assert.deepEqual(answer.cookies, []);
    const form = {
      current_password: entered.currentPassword ?? "",
      new_password: entered.newPassword ?? "",
      confirm_password: entered.confirmPassword ?? "",
    };
    const page = await app.send("/account/password", { session, form });
    assert.ok(page.body.includes(`>${MESSAGES[error]}<`), error);
  }
  const rejected = app.log.filter(({ message }) => message === "password change rejected");
  assert.equal(rejected.length, 2);
  assert.equal((await signIn(app)).status, 200, "the password is unchanged");
});

test("changes the password, keeps the sessions, and ends the others if asked", async (t) => {
  const store = await openStore(t);
  const { app, session } = await startConfiguredApp(t, { ...API, store });
  const other = (await signIn(app)).session;
  const changed = await post(app, "/api/password", passwords(), { session });
  assert.deepEqual(shown(changed), [200, { user: owner(changed) }]);
  assert.deepEqual(changed.cookies, []);
  assert.equal((await signIn(app)).status, 401);
  assert.equal((await signIn(app, { password: NEW })).status, 200);
  for (const one of [session, other]) {
    assert.equal((await app.send("/who", { session: one })).status, 200);
    assert.match((await app.send("/who", { session: one })).body, /owner/);
  }
  const back = { currentPassword: NEW, newPassword: OWNER.password };
  const fields = { ...back, confirmPassword: OWNER.password, endOthers: true };
  const ended = await post(app, "/api/password", fields, { session });
  assert.equal(ended.status, 200);
  assert.equal((await app.send("/who", { session: other })).body, "null");
  assert.match((await app.send("/who", { session: ended.session })).body, /owner/);
  await app.auth.close();
  assert.equal((await summariesIn(store)).filter((one) => one === "Changed password").length, 2);
});

test("refuses a new password of a guest, and of a user who was removed", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { ...API, store });
  const guest = await store.users.insert({ username: "guest", passwordHash: "$guest$" as never });
  assert.ok(typeof guest === "object");
  const session = mint({ user_id: guest.id, exp: inSeconds(600) });
  const refused = await post(app, "/api/password", passwords(), { session });
  assert.deepEqual(shown(refused), [403, { error: "no_access" }]);
  const known = JSON.parse((await app.send("/api/session", { session })).body);
  assert.deepEqual(known.user, { id: guest.id, username: "guest", guest: true, groups: [] });
  const gone = mint({ user_id: "nobody", exp: inSeconds(600) });
  const unknown = await post(app, "/api/password", passwords(), { session: gone });
  assert.deepEqual(shown(unknown), [401, { error: "sign_in_required" }]);
});

test("says who is signed in, and until when", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { ...API, store });
  const before = Math.floor(Date.now() / 1_000);
  const { session = "" } = await signIn(app);
  const after = Math.floor(Date.now() / 1_000);
  const read = async (cookie: string | undefined) => {
    const answer = await app.send("/api/session", { session: cookie });
    assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
    assert.deepEqual(answer.cookies, []);
    return JSON.parse(answer.body);
  };
  const { user, until } = await read(session);
  assert.deepEqual(user, { id: user.id, username: "owner", groups: ["admins"] });
  const beginning = Date.parse(until) / 1_000 - 2_592_000;
  assert.ok(beginning >= before && beginning <= after, until);
  assert.equal(until, new Date(until).toISOString());
  await app.auth.users.setProfile(user.id, { name: "The \u00e9 <b>owner</b>" });
  assert.equal((await read(session)).user.name, "The \u00e9 <b>owner</b>");
  for (const none of [undefined, "", "forged", `${session}x`]) {
    assert.deepEqual(await read(none), { user: null });
  }
  assert.ok(app.log.some(({ message }) => message === "forged session token refused"));
  const head = await app.send("/api/session", { session, method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, ""]);
});

test("a session says when its account ends, if that is earlier", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { ...API, store });
  const endsAt = new Date(Date.now() + 3_600_000);
  const added = await app.auth.users.add({ username: "bob", password: NEW, endsAt });
  assert.equal(added.kind, "added");
  const { session } = await signIn(app, { username: "bob", password: NEW });
  const { until } = JSON.parse((await app.send("/api/session", { session })).body);
  assert.equal(until, endsAt.toISOString());
});

test("signs out with the cookies of the page, and ends the session", async (t) => {
  for (const cookieDomain of [undefined, "example.test"]) {
    const { app } = await startConfiguredApp(t, { ...API, hosts: { cookieDomain } });
    const { session } = await signIn(app);
    const page = await app.send("/logout", { form: {} });
    const answer = await post(app, "/api/sign-out", {}, { session });
    assert.deepEqual(shown(answer), [200, { user: null, ended: true }]);
    assert.deepEqual(answer.cookies, page.cookies);
    assert.equal(answer.headers["clear-site-data"], '"cache"');
    assert.deepEqual(shown(await app.send("/api/session", { session })), [200, { user: null }]);
    const again = await post(app, "/api/sign-out", {}, { session });
    assert.deepEqual(shown(again), [200, { user: null, ended: true }]);
  }
});

test("a sign-out that the store cannot write clears the cookie and says so", async (t) => {
  let isAway = false;
  const store = await openStoreAround(t, (name, run) => {
    if (isAway && name === "sessions.end") throw new Unavailable("store_busy", "away", 7);
    return run();
  });
  const { app } = await startConfiguredApp(t, { ...API, store });
  const { session } = await signIn(app);
  isAway = true;
  const answer = await post(app, "/api/sign-out", {}, { session });
  isAway = false;
  assert.deepEqual(shown(answer), [200, { user: null, ended: false }]);
  assert.deepEqual(answer.cookies, ["session=; Path=/; HttpOnly; Max-Age=-1"]);
  assert.deepEqual(shown(await app.send("/api/session", { session })), [200, { user: null }]);
});

test("a new sign-in ends the browser's previous session of the same user", async (t) => {
  const { app, session } = await startConfiguredApp(t, API);
  const next = (await signIn(app, {}, { headers: { Cookie: `session=${session}` } })).session;
  assert.equal((await app.send("/who", { session })).body, "null");
  assert.match((await app.send("/who", { session: next })).body, /owner/);
});

test("remembers a device for the page and for the app's own form", async (t) => {
  const { app, key } = await withCodes(t);
  const own = await signIn(app, { code: codeShown(key, 1), rememberDevice: true });
  const lines = own.cookies.filter((line) => line.startsWith("latchkey-device="));
  const attributes = "HttpOnly; SameSite=Lax; Max-Age=2592000";
  assert.deepEqual(withoutToken(lines), [
    `latchkey-device=*; Path=/login; ${attributes}`,
    `latchkey-device=*; Path=/api/sign-in; ${attributes}`,
  ]);
  const [Cookie = ""] = (lines[1] ?? "").split(";");
  assert.equal(lines[0]?.startsWith(`${Cookie};`), true, "the same device");
  assert.equal((await signIn(app)).status, 401);
  assert.equal((await signIn(app, {}, { headers: { Cookie } })).status, 200);
  const page = await app.send("/login", { form: OWNER, headers: { Cookie } });
  assert.equal(page.location, "/");
});

test("a device is remembered only if it was asked for and is offered", async (t) => {
  for (const [options, fields] of [
    [{}, {}],
    [{}, { rememberDevice: false }],
    [{ signIn: { rememberDevice: false } }, { rememberDevice: true }],
  ] as const) {
    const { app, key } = await withCodes(t, options);
    const answer = await signIn(app, { ...fields, code: codeShown(key, 1) });
    assert.equal(answer.status, 200);
    assert.deepEqual(withoutToken(answer.cookies).length, 1, "the session alone");
  }
});

test("other methods get 405 with JSON", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  for (const path of POSTS) {
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const answer = await app.send(path, { method });
      assert.deepEqual(shown(answer), [405, { error: "method_not_allowed" }], `${method} ${path}`);
      assert.equal(answer.headers.allow, "POST");
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
    }
  }
  const posted = await post(app, "/api/session", {});
  assert.deepEqual(shown(posted), [405, { error: "method_not_allowed" }]);
  assert.equal(posted.headers.allow, "GET, HEAD");
});

test("a host that is not allowed gets 421 with JSON", async (t) => {
  const { app } = await startConfiguredApp(t, { ...API, hosts: { allowed: ["127.0.0.1"] } });
  const headers = { Host: "evil.example" };
  for (const answer of [
    await signIn(app, {}, { headers }),
    await app.send("/api/session", { headers }),
  ]) {
    assert.deepEqual(shown(answer), [421, { error: "wrong_host" }]);
  }
});

for (const [status, error, thrown] of [
  [500, "failed", new Error("hidden text of a driver")],
  [503, "unavailable", new Unavailable("store_busy", "hidden text of a driver", 7)],
] as const) {
  test(`answers ${status} with JSON, and logs why with the ID of the answer`, async (t) => {
    const store = await openStore(t);
    const { app, session } = await startConfiguredApp(t, { ...API, store });
    t.mock.method(store.users, "findActiveByName", () => Promise.reject(thrown));
    t.mock.method(store.users, "findActive", () => Promise.reject(thrown));
    t.mock.method(store.users, "find", () => Promise.reject(thrown));
    for (const fail of [
      () => signIn(app),
      () => post(app, "/api/password", passwords(), { session }),
      () => app.send("/api/session", { session }),
    ]) {
      const answer = await fail();
      assert.deepEqual(shown(answer), [status, { error }]);
      assert.equal(answer.headers["retry-after"], status === 503 ? "7" : undefined);
      assert.deepEqual(answer.cookies, []);
      const { fields } = app.log.findLast(({ message }) => message.startsWith("request ")) ?? {};
      assert.equal(fields?.requestId, answer.headers["x-request-id"]);
    }
  });
}

test("a sign-in whose name cannot be read is complete without it", async (t) => {
  const store = await openStore(t);
  const { app } = await startConfiguredApp(t, { ...API, store });
  t.mock.method(store.profiles, "find", () => Promise.reject(new Error("away")));
  const answer = await signIn(app);
  assert.deepEqual(shown(answer), [200, { user: owner(answer) }]);
  assert.ok(answer.session);
});
