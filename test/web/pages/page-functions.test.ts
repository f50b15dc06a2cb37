import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PageFunctions } from "../../../src/index.ts";
import { startApp } from "../../support/app.ts";
import { execute } from "../../support/database.ts";
import { OWNER } from "../../support/gate.ts";
import { partsOf } from "../../support/mint.ts";
import { tempDir } from "../../support/temp-dir.ts";

const SETUP = { form: { ...OWNER, confirm: OWNER.password } };

/** A page that shows all that it got. */
const shown = (page: object): string => JSON.stringify(page);

const shownPages: PageFunctions = { login: shown, setup: shown, home: shown, error: shown };

const ADDRESSES = {
  styleSheetUrl: /^\/latchkey\.css\?v=[\w-]{12}$/,
  scriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  logoUrl: /^\/latchkey-logo\?v=[\w-]{12}$/,
};

test("each function gets the helpers, the way around and what its page is about", async (t) => {
  const app = await startApp(t, { pages: shownPages, appName: "Home" });
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
  assert.deepEqual(await page("/login"), before);

  const { session = "" } = await app.send("/setup", SETUP);
  const CurrentUser = { id: partsOf(session).claims.user_id, username: OWNER.username };
  const after = { ...frame, NeedsSetup: false };
  assert.deepEqual(await page("/login?error=1"), { ...after, HasError: true });
  const { activity, ...home } = await page("/", session);
  assert.deepEqual(home, { ...after, HasError: false, CurrentUser });
  assert.deepEqual([activity.kind, activity.entries.length], ["entries", 1]);
  const error = { status: 405, message: "this method is not allowed here" };
  const refused = { ...after, HasError: false, CurrentUser, ...error };
  assert.deepEqual(await page("/logout", session), refused);
});

test("a function speaks the reader's language with the words that it gets", async (t) => {
  const app = await startApp(t, { pages: { login: ({ locale, words }) => locale + words.signIn } });
  const headers = { "Accept-Language": "de" };
  assert.equal((await app.send("/login", { headers })).body, "deAnmelden");
});

test("a function is told why a form comes back, and what was typed but for the passwords", async (t) => {
  const app = await startApp(t, { pages: shownPages });
  const form = { username: "me", password: "p-8Ry", confirm: "c-9Sz", token: "x", domain: "a.b" };
  const { status, body } = await app.send("/setup", { form });
  assert.equal(status, 422);
  const { problem, username, token, domain } = JSON.parse(body);
  assert.deepEqual([username, token, domain], ["me", "x", "a.b"]);
  const fields = ["password", "confirm"];
  assert.deepEqual(problem, { message: "passwords do not match", fields });
  assert.doesNotMatch(body, /p-8Ry|c-9Sz/);
});

test("a function is told what setup asks for", async (t) => {
  const setupToken = { read: async () => "expected", delete: async () => {} };
  const app = await startApp(t, { pages: shownPages, setupToken, setUpDomain: async () => {} });
  const { tokenExpected, token, offersDomain } = JSON.parse((await app.send("/setup")).body);
  assert.deepEqual([tokenExpected, token, offersDomain], [true, "", true]);
});

for (const { options, basePath, homePath } of [
  { options: { basePath: "/auth" }, basePath: "/auth", homePath: "/auth" },
  { options: { basePath: "/auth", homePath: "/me" }, basePath: "/auth", homePath: "/me" },
  { options: { basePath: "/auth", homePath: null }, basePath: "/auth", homePath: null },
  { options: { homePath: null }, basePath: "", homePath: null },
]) {
  test(`a function finds its way with ${JSON.stringify(options)}`, async (t) => {
    const app = await startApp(t, { ...options, pages: shownPages });
    const page = JSON.parse((await app.send(`${basePath}/login`)).body);
    assert.deepEqual([page.basePath, page.homePath], [basePath, homePath]);
    assert.equal((await app.send(page.styleSheetUrl)).status, 200);
  });
}

for (const name of ["login", "setup", "home", "error"] as const) {
  test(`a function for the ${name} page replaces that page alone`, async (t) => {
    const app = await startApp(t, { pages: { [name]: () => `<p>My own ${name}</p>` } });
    const setup = (await app.send("/setup")).body;
    const { session } = await app.send("/setup", SETUP);
    const pages = {
      setup,
      login: (await app.send("/login")).body,
      home: (await app.send("/", { session })).body,
      error: (await app.send("/logout")).body,
    };
    for (const [each, body] of Object.entries(pages)) {
      if (each === name) assert.equal(body, `<p>My own ${name}</p>`);
      else assert.match(body, /^<!doctype html>[\s\S]+<h1>/, each);
    }
  });
}

test("what a function answers is sent as it is, with the headers of a page", async (t) => {
  const app = await startApp(t, { pages: { login: () => "<b>ä & ö</b>" } });
  const { status, body, headers } = await app.send("/login");
  assert.deepEqual([status, body], [200, "<b>ä & ö</b>"]);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.equal(headers["cache-control"], "no-store");
  assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
});

test("a function that answers with nothing at all has an empty page", async (t) => {
  const app = await startApp(t, { pages: { login: () => "" } });
  const { status, body } = await app.send("/login");
  assert.deepEqual([status, body], [200, ""]);
});

test("a function goes before a template of the same name in the pages folder", async (t) => {
  const pagesDir = join(await tempDir(t), "pages");
  mkdirSync(pagesDir);
  writeFileSync(join(pagesDir, "login.eta"), "<p>a template</p>");
  writeFileSync(join(pagesDir, "setup.eta"), "<p>a template</p>");
  const app = await startApp(t, { pagesDir, pages: { login: () => "<p>a function</p>" } });
  assert.equal((await app.send("/login")).body, "<p>a function</p>");
  assert.equal((await app.send("/setup")).body, "<p>a template</p>");
});

test("functions that are changed afterwards change nothing", async (t) => {
  const pages: { login?: () => string } = { login: () => "first" };
  const app = await startApp(t, { pages });
  pages.login = () => "second";
  assert.equal((await app.send("/login")).body, "first");
});

const broken = (): string => {
  throw new Error("a <broken> page");
};

test("a function that throws gives the error page, and the server log what happened", async (t) => {
  const app = await startApp(t, { pages: { login: broken } });
  const { status, body } = await app.send("/login?error=1");
  assert.equal(status, 500);
  assert.match(body, /^<!doctype html>[\s\S]+role="alert">a &lt;broken&gt; page</);
  const [line, ...others] = app.log;
  assert.deepEqual(
    [line?.level, line?.message, line?.fields.path],
    ["error", "request failed", "/login"],
  );
  assert.deepEqual(others, []);
});

test("a function for the home page that throws does so for whoever is signed in alone", async (t) => {
  const app = await startApp(t, { pages: { home: broken } });
  const { session } = await app.send("/setup", SETUP);
  assert.equal((await app.send("/", { session })).status, 500);
  assert.equal((await app.send("/")).location, "/login");
});

test("where the function for the error page throws, the message is there as plain text", async (t) => {
  const app = await startApp(t, { pages: { error: broken } });
  const { status, body, headers } = await app.send("/logout");
  assert.deepEqual([status, body], [405, "this method is not allowed here"]);
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.deepEqual(
    app.log.map(({ message, fields }) => [message, fields.reason]),
    [["the error page cannot be rendered", "a <broken> page"]],
  );
});

test("where a page and the error page both throw, the first one's words are there as plain text", async (t) => {
  const app = await startApp(t, { pages: { login: broken, error: () => JSON.parse("{") } });
  const { status, body, headers } = await app.send("/login");
  assert.deepEqual([status, body], [500, "a <broken> page"]);
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.equal(headers["x-content-type-options"], "nosniff");
});

test("an error page of one's own comes out where the store fails, too", async (t) => {
  const app = await startApp(t, { pages: { error: shown } });
  execute(app.databaseFile, "ALTER TABLE users RENAME TO hidden");
  const { status, body } = await app.send("/login?error=1");
  assert.equal(status, 500);
  const page = JSON.parse(body);
  assert.deepEqual([page.status, page.message], [500, "no such table: users"]);
  assert.deepEqual([page.NeedsSetup, page.HasError, page.CurrentUser], [false, true, undefined]);
});

test("an error page of one's own keeps the status and the headers of the error", async (t) => {
  const app = await startApp(t, { pages: { error: ({ status }) => `error ${status}` } });
  const { status, body, headers } = await app.send("/login", { method: "DELETE" });
  assert.deepEqual([status, body, headers.allow], [405, "error 405", "GET, HEAD, POST"]);
});
