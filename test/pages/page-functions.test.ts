import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageFunctions } from "../../src/index.ts";
import { startApp, startConfiguredApp } from "../support/app.ts";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";

const SETUP = { form: SETUP_FORM };

/** A page function that returns its data as JSON. */
const toJson = (page: object): string => JSON.stringify(page);

const jsonPages: PageFunctions = {
  login: toJson,
  setup: toJson,
  signInMethods: toJson,
  history: toJson,
  error: toJson,
};

const ADDRESSES = {
  shellStyleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  styleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  appStyleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  providerStyleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  customStyleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  scriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  codeScriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  launcherScriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  passkeyScriptUrl: /^\/latchkey-passkeys\.js\?v=[\w-]{12}$/,
  logoUrl: /^\/latchkey-logo\?v=[\w-]{12}$/,
};

test("passes the helpers, the paths and the page's own data to each function", async (t) => {
  const app = await startApp(t, { pages: { ...jsonPages, appName: "Home", css: "body {}" } });
  const page = async (path: string, session?: string) => {
    const { words, ...rest } = JSON.parse((await app.send(path, { session })).body);
    assert.equal(words.signIn, "Sign in");
    for (const [name, address] of Object.entries(ADDRESSES)) {
      assert.match(rest[name], address);
      delete rest[name];
    }
    return rest;
  };
  const frame = { basePath: "", homePath: "/", appName: "Home", locale: "en" };
  const before = { ...frame, NeedsSetup: true, HasError: false };
  const setup = { tokenExpected: false, token: "given", username: "", domain: "" };
  assert.deepEqual(await page("/setup?token=given"), { ...before, ...setup, offersDomain: false });
  assert.equal((await page("/setup")).token, "");
  const login = {
    handoffFailed: false,
    confirms: false,
    needsFactor: false,
    asksCode: false,
    remembersDevices: false,
    offersPasskeys: false,
    needsPasskey: false,
    needsCode: false,
    offersSignUp: false,
    offersReset: false,
    providers: [],
  };
  assert.deepEqual(await page("/login"), { ...before, ...login });

  const { session = "" } = await app.send("/setup", SETUP);
  const { user_id: id } = partsOf(session).claims;
  const CurrentUser = { id, username: OWNER.username, groups: ["admins"] };
  const after = { ...frame, NeedsSetup: false };
  assert.deepEqual(await page("/login?error=1"), { ...after, HasError: true, ...login });
  const path = (page: string) => `/account/${page}`;
  const navigation = {
    account: [
      { page: "profile", path: path("profile") },
      { page: "signInMethods", path: path("sign-in") },
      { page: "devices", path: path("devices") },
      { page: "history", path: path("history") },
    ],
    admin: [],
  };
  const signedIn = { ...after, HasError: false, CurrentUser, navigation };
  const signIn = { codes: { kind: "off" }, lacksFactor: false, listsSessions: true };
  const methods = { ...signIn, password: "set" };
  assert.deepEqual(await page("/account/sign-in", session), { ...signedIn, ...methods });
  const { entries, ...history } = await page("/account/history", session);
  assert.deepEqual([history, entries.length], [signedIn, 1]);
  const message = "This address only takes forms.";
  const home = { page: "account", url: "/account/profile" };
  const error = { status: 405, title: "Nothing to see here", message, home };
  const refused = { ...signedIn, ...error };
  assert.deepEqual(await page("/logout", session), refused);
});

test("passes the problem and the entered values except passwords to a function", async (t) => {
  const app = await startApp(t, { pages: jsonPages });
  const form = { username: "me", password: "p-8Ry", confirm: "c-9Sz", token: "x", domain: "a.b" };
  const { status, body } = await app.send("/setup", { form });
  assert.equal(status, 422);
  const { problem, username, token, domain } = JSON.parse(body);
  assert.deepEqual([username, token, domain], ["me", "x", "a.b"]);
  const fields = ["password", "confirm"];
  assert.deepEqual(problem, { message: "passwords do not match", fields });
  assert.doesNotMatch(body, /p-8Ry|c-9Sz/);
});

test("sends a function's result unchanged with the headers of a page", async (t) => {
  const app = await startApp(t, {
    pages: { login: () => "<b>ä & ö</b>", setup: async () => "" },
  });
  const { status, body, headers } = await app.send("/login");
  assert.deepEqual([status, body], [200, "<b>ä & ö</b>"]);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
  const empty = await app.send("/setup");
  assert.deepEqual([empty.status, empty.body], [200, ""]);
});

test("shows Latchkey's own page where there is no function", async (t) => {
  const app = await startApp(t, { pages: { login: () => "<p>a function</p>" } });
  assert.equal((await app.send("/login")).body, "<p>a function</p>");
  assert.match((await app.send("/setup")).body, /^<!doctype html>/);
});

test("calls a function for each request, also while the state of the page is the same", async (t) => {
  const calls: string[] = [];
  const app = await startApp(t, { pages: { login: () => `${calls.push("called")}` } });
  const shown = [await app.send("/login"), await app.send("/login")];
  assert.deepEqual(
    shown.map(({ body }) => body),
    ["1", "2"],
  );
});

test("the message of a problem is only in the data: a function decides whether to show it", async (t) => {
  const { app, session } = await startConfiguredApp(t, {
    pages: { signInMethods: () => "<p>own</p>" },
  });
  const form = changeForm("wrong", "n-8Ry-long");
  const { status, body } = await app.send("/account/password", { session, form });
  assert.deepEqual([status, body], [422, "<p>own</p>"]);
});

const broken = (): string => {
  throw new Error("a <broken> page");
};

test("names a function that returns anything but text in the server log", async (t) => {
  const pages = { login: async () => 5, setup: () => undefined, error: () => null } as never;
  const { send, log } = await startApp(t, { pages });
  for (const name of ["login", "setup"]) {
    const { status, body } = await send(`/${name}`);
    assert.deepEqual([status, body], [500, "The server could not answer this request."]);
    const reasons = log.slice(-2).map(({ fields }) => `${fields.err ?? fields.reason}`);
    const problem = (page: string): string => `pages.${page} did not return text`;
    assert.deepEqual(reasons, [`Fault: ${problem(name)}`, problem("error")]);
  }
});

test("a function that throws, now or later, shows the error page, which does not say why", async (t) => {
  const pages = { login: broken, setup: async () => broken() };
  const { send, log } = await startApp(t, { pages });
  for (const path of ["/login", "/setup"]) {
    const { status, body } = await send(path);
    assert.equal(status, 500);
    assert.match(body, /^<!doctype html>/);
    assert.doesNotMatch(body, /broken/);
    assert.equal(`${log.at(-1)?.fields.err}`, "Error: a <broken> page");
  }
});

for (const [when, error] of [
  ["throws", broken],
  ["rejects", async () => broken()],
] as const) {
  test(`returns the message as plain text if the error page function ${when}`, async (t) => {
    const app = await startApp(t, { pages: { error } });
    const { status, body, headers } = await app.send("/logout");
    assert.deepEqual([status, body], [405, "This address only takes forms."]);
    const type = headers["content-type"];
    assert.deepEqual([type, headers.allow], ["text/plain; charset=utf-8", "POST"]);
    assert.match(String(headers["x-request-id"]), /^[\da-f-]{36}$/);
    const told = app.log.map(({ message, fields }) => [message, fields.reason, fields.requestId]);
    assert.deepEqual(told, [
      ["the error page cannot be rendered", "a <broken> page", headers["x-request-id"]],
    ]);
  });
}
