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
  codeScriptUrl: /^\/latchkey\.js\?v=[\w-]{12}$/,
  passkeyScriptUrl: /^\/latchkey-passkeys\.js\?v=[\w-]{12}$/,
  logoUrl: /^\/latchkey-logo\?v=[\w-]{12}$/,
};

test("passes the helpers, the paths and the page's own data to each function", async (t) => {
  const app = await startApp(t, { pages: { functions: jsonPages, appName: "Home" } });
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
  };
  assert.deepEqual(await page("/login"), { ...before, ...login });

  const { session = "" } = await app.send("/setup", SETUP);
  const { user_id: id } = partsOf(session).claims;
  const CurrentUser = { id, username: OWNER.username, groups: ["admins"] };
  const after = { ...frame, NeedsSetup: false };
  assert.deepEqual(await page("/login?error=1"), { ...after, HasError: true, ...login });
  const { activity, sessions, ...home } = await page("/", session);
  assert.deepEqual(home, { ...after, HasError: false, CurrentUser, codes: { kind: "off" } });
  assert.deepEqual([sessions.kind, sessions.sessions.length], ["sessions", 1]);
  assert.deepEqual([activity.kind, activity.entries.length], ["entries", 1]);
  const message = "This method is not allowed here.";
  const error = { status: 405, title: "Method not allowed", message };
  const refused = { ...after, HasError: false, CurrentUser, ...error };
  assert.deepEqual(await page("/logout", session), refused);
});

test("passes the problem and the entered values except passwords to a function", async (t) => {
  const app = await startApp(t, { pages: { functions: jsonPages } });
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
    pages: { functions: { login: () => "<b>ä & ö</b>", setup: () => "" } },
  });
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
  const app = await startApp(t, {
    pages: { dir: pagesDir, functions: { login: () => "<p>a function</p>" } },
  });
  assert.equal((await app.send("/login")).body, "<p>a function</p>");
  assert.equal((await app.send("/setup")).body, "<p>a template</p>");
});

const broken = (): string => {
  throw new Error("a <broken> page");
};

test("names a function that returns anything but text in the server log", async (t) => {
  const functions = { login: async () => "<p>", setup: () => undefined } as never;
  const { send, log } = await startApp(t, { pages: { functions } });
  for (const name of ["login", "setup"]) {
    assert.equal((await send(`/${name}`)).status, 500);
    assert.equal(`${log.at(-1)?.fields.err}`, `Fault: pages.functions.${name} did not return text`);
  }
});

test("returns the message as plain text if the error page function throws", async (t) => {
  const app = await startApp(t, { pages: { functions: { error: broken } } });
  const { status, body, headers } = await app.send("/logout");
  assert.deepEqual([status, body], [405, "This method is not allowed here."]);
  assert.deepEqual([headers["content-type"], headers.allow], ["text/plain; charset=utf-8", "POST"]);
  assert.match(String(headers["x-request-id"]), /^[\da-f-]{36}$/);
  const told = app.log.map(({ message, fields }) => [message, fields.reason, fields.requestId]);
  assert.deepEqual(told, [
    ["the error page cannot be rendered", "a <broken> page", headers["x-request-id"]],
  ]);
});
