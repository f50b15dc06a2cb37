import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageFunctions } from "../../../src/index.ts";
import { startApp } from "../../support/app.ts";
import { OWNER, SETUP_FORM } from "../../support/gate.ts";
import { partsOf } from "../../support/mint.ts";
import { folderWith } from "../../support/pages.ts";

const SETUP = { form: SETUP_FORM };

/** A page function that returns its data as JSON. */
const toJson = (page: object): string => JSON.stringify(page);

const jsonPages: PageFunctions = { login: toJson, setup: toJson, home: toJson, error: toJson };

const ADDRESSES = {
  styleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  scriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  passkeyScriptUrl: /^\/latchkey-passkeys\.js\?v=[\w-]{12}$/,
  logoUrl: /^\/latchkey-logo\?v=[\w-]{12}$/,
};

test("passes the helpers, the paths and the page's own data to each function", async (t) => {
  const app = await startApp(t, { pages: jsonPages, appName: "Home" });
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
  const login = { asksCode: false, offersPasskeys: false };
  assert.deepEqual(await page("/login"), { ...before, ...login });

  const { session = "" } = await app.send("/setup", SETUP);
  const CurrentUser = { id: partsOf(session).claims.user_id, username: OWNER.username };
  const after = { ...frame, NeedsSetup: false };
  assert.deepEqual(await page("/login?error=1"), { ...after, HasError: true, ...login });
  const { activity, sessions, ...home } = await page("/", session);
  assert.deepEqual(home, { ...after, HasError: false, CurrentUser, codes: { kind: "off" } });
  assert.deepEqual([sessions.kind, sessions.sessions.length], ["sessions", 1]);
  assert.deepEqual([activity.kind, activity.entries.length], ["entries", 1]);
  const error = { status: 405, message: "this method is not allowed here" };
  const refused = { ...after, HasError: false, CurrentUser, ...error };
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

for (const { options, basePath, homePath } of [
  { options: { basePath: "/auth" }, basePath: "/auth", homePath: "/auth" },
  { options: { basePath: "/auth", homePath: "/me" }, basePath: "/auth", homePath: "/me" },
  { options: { basePath: "/auth", homePath: null }, basePath: "/auth", homePath: null },
  { options: { homePath: null }, basePath: "", homePath: null },
]) {
  test(`passes the paths to a function with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, { ...options, pages: jsonPages });
    const page = JSON.parse((await app.send(`${basePath}/login`)).body);
    assert.deepEqual([page.basePath, page.homePath], [basePath, homePath]);
    assert.equal((await app.send(page.styleSheetUrl)).status, 200);
  });
}

test("sends a function's result unchanged with the headers of a page", async (t) => {
  const app = await startApp(t, { pages: { login: () => "<b>ä & ö</b>", setup: () => "" } });
  const { status, body, headers } = await app.send("/login");
  assert.deepEqual([status, body], [200, "<b>ä & ö</b>"]);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
  const empty = await app.send("/setup");
  assert.deepEqual([empty.status, empty.body], [200, ""]);
});

test("a function takes precedence over a template of the same name", async (t) => {
  const template = "<p>a template</p>";
  const pagesDir = await folderWith(t, { "login.eta": template, "setup.eta": template });
  const app = await startApp(t, { pagesDir, pages: { login: () => "<p>a function</p>" } });
  assert.equal((await app.send("/login")).body, "<p>a function</p>");
  assert.equal((await app.send("/setup")).body, "<p>a template</p>");
});

test("ignores later changes to the pages object", async (t) => {
  const pages: { login?: () => string } = { login: () => "first" };
  const app = await startApp(t, { pages });
  pages.login = () => "second";
  assert.equal((await app.send("/login")).body, "first");
});

const broken = (): string => {
  throw new Error("a <broken> page");
};

test("returns the message as plain text if the error page function throws", async (t) => {
  const app = await startApp(t, { pages: { error: broken } });
  const { status, body, headers } = await app.send("/logout");
  assert.deepEqual([status, body], [405, "this method is not allowed here"]);
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.match(String(headers["x-request-id"]), /^[\da-f-]{36}$/);
  assert.deepEqual(
    app.log.map(({ message, fields }) => [message, fields.reason, fields.requestId]),
    [["the error page cannot be rendered", "a <broken> page", headers["x-request-id"]]],
  );
});

test("returns the error as plain text if the page and the error page both throw", async (t) => {
  const app = await startApp(t, { pages: { login: broken, error: () => JSON.parse("{") } });
  const { status, body, headers } = await app.send("/login");
  assert.deepEqual([status, body], [500, "the server could not answer this request"]);
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.equal(headers["x-content-type-options"], "nosniff");
});

test("a custom error page keeps the status and the headers of the error", async (t) => {
  const app = await startApp(t, { pages: { error: ({ status }) => `error ${status}` } });
  const { status, body, headers } = await app.send("/login", { method: "DELETE" });
  assert.deepEqual([status, body, headers.allow], [405, "error 405", "GET, HEAD, POST"]);
});
