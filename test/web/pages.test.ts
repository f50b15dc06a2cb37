import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Fault } from "../../src/core/fault.ts";
import type { UserId } from "../../src/core/store.ts";
import { loadPages, type PageHelpers, type Pages } from "../../src/web/pages.ts";
import { pathsUnder } from "../../src/web/paths.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const load = (folder: string | undefined): Pages =>
  loadPages(pathsUnder("", "/"), { folder, functions: {} });

const NOBODY: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const signedIn = (username: string): PageHelpers => ({
  ...NOBODY,
  CurrentUser: { id: "1" as UserId, username },
});

/** A folder with these files in it. */
async function folderWith(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await tempDir(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const faultOf = (work: () => unknown): Fault => {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

test("without a folder of one's own, every page renders, as a whole document", () => {
  const pages = load(undefined);
  const rendered = [
    pages.render("login", NOBODY, { returnTo: undefined }),
    pages.render("setup", NOBODY, {
      tokenExpected: true,
      token: "",
      offersDomain: true,
      returnTo: undefined,
    }),
    pages.render("home", signedIn("owner"), {}),
    pages.render("error", NOBODY, { status: 500, message: "x" }),
  ];
  for (const html of rendered) {
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, /<\/html>\s*$/);
    assert.match(html, /<h1>[^<]+<\/h1>/);
  }
});

const HOSTILE = `<script>alert("1" & '2')</script>`;

test("whatever users or failures put into a page is escaped", () => {
  const pages = load(undefined);
  const rendered = [
    pages.render("home", signedIn(HOSTILE), {}),
    pages.render("error", NOBODY, { status: 500, message: HOSTILE }),
    pages.render("setup", NOBODY, {
      tokenExpected: true,
      token: HOSTILE,
      offersDomain: false,
      returnTo: undefined,
    }),
  ];
  for (const html of rendered) {
    assert.ok(!html.includes("<script>"));
    assert.match(html, /&lt;script&gt;alert\(&quot;1&quot; &amp; (&#39;|')2/);
  }
});

test("the setup page asks for a token and a domain only where they are wanted", () => {
  const { render } = load(undefined);
  const all = render("setup", NOBODY, {
    tokenExpected: true,
    token: "given",
    offersDomain: true,
    returnTo: undefined,
  });
  assert.match(all, /name="token" value="given"/);
  assert.match(all, /name="domain"/);
  const none = render("setup", NOBODY, {
    tokenExpected: false,
    token: "x",
    offersDomain: false,
    returnTo: undefined,
  });
  assert.doesNotMatch(none, /name="token"|name="domain"/);
});

test("the address of the style sheet changes with its content", async (t) => {
  const addressIn = (html: string): string => /href="(\/[^"]+\.css[^"]*)"/.exec(html)?.[1] ?? "";
  const shipped = load(undefined);
  const replaced = load(await folderWith(t, { "latchkey.css": "body { color: red }" }));
  assert.equal(replaced.styleSheet, "body { color: red }");
  assert.notEqual(shipped.styleSheet, replaced.styleSheet);
  const addresses = [shipped, shipped, replaced].map((pages) =>
    addressIn(pages.render("login", NOBODY, { returnTo: undefined })),
  );
  assert.match(addresses[0] ?? "", /^\/.+\?v=[\w-]{12}$/);
  assert.equal(addresses[0], addresses[1]);
  assert.notEqual(addresses[0], addresses[2]);
});

test("a replaced page stands alone: the other pages stay as they are", async (t) => {
  const pages = load(await folderWith(t, { "login.eta": "<p>My own sign-in</p>" }));
  const shipped = load(undefined);
  assert.equal(pages.render("login", NOBODY, { returnTo: undefined }), "<p>My own sign-in</p>");
  const error = { status: 404, message: "nothing here" };
  assert.equal(pages.render("error", NOBODY, error), shipped.render("error", NOBODY, error));
});

test("a replaced layout is around every page that asks for it", async (t) => {
  const pages = load(await folderWith(t, { "layout.eta": "[<%= it.title %>|<%~ it.body %>]" }));
  assert.match(pages.render("login", NOBODY, { returnTo: undefined }), /^\[Sign in\|.*<form.*\]$/s);
  assert.match(
    pages.render("error", NOBODY, { status: 404, message: "nothing here" }),
    /^\[[^|]+\|.*nothing here.*\]$/s,
  );
});

test("a replaced page escapes by itself, and has the helpers and the page's own data", async (t) => {
  const template =
    "<%= it.NeedsSetup %>,<%= it.HasError %>,<%= it.CurrentUser?.username %>,<%= it.status %>,<%= it.message %>";
  const pages = load(await folderWith(t, { "error.eta": template }));
  const error = { status: 422, message: "<b>" };
  assert.equal(
    pages.render("error", { ...NOBODY, HasError: true }, error),
    "false,true,undefined,422,&lt;b&gt;",
  );
  assert.equal(
    pages.render("error", signedIn("<i>"), error),
    "false,false,&lt;i&gt;,422,&lt;b&gt;",
  );
});

test("replaced pages are served with the helpers as they are at each request", async (t) => {
  const helpers = "<%= it.NeedsSetup %>,<%= it.HasError %>,<%= it.CurrentUser?.username ?? '' %>";
  const pagesDir = await folderWith(t, { "login.eta": helpers, "home.eta": `home:${helpers}` });
  const gate = await startGate(t, { pagesDir });
  const page = async (path: string, session?: string): Promise<string> =>
    (await gate.send(path, { session })).body;
  assert.equal(await page("/login"), "true,false,");
  const session = await gate.setUp();
  assert.equal(await page("/login"), "false,false,");
  assert.equal(await page("/login?error=1"), "false,true,");
  assert.equal(await page("/login?error="), "false,false,");
  assert.equal(await page("/login?error=0", session), "false,true,owner");
  assert.equal(await page("/login", "forged"), "false,false,");
  assert.equal(await page("/", session), "home:false,false,owner");
});

test("a template with a broken expression stops the start, and the fault names the file", async (t) => {
  const folder = await folderWith(t, { "setup.eta": "<% if ( { %>" });
  const fault = faultOf(() => load(folder));
  assert.equal(fault.code, "page_broken");
  assert.ok(fault.message.startsWith(`${join(folder, "setup.eta")}: `), fault.message);
});

test("a template that replaces no page is refused, and the fault names it and the pages there are", async (t) => {
  const folder = await folderWith(t, { "signin.eta": "<p>misspelt</p>" });
  const fault = faultOf(() => load(folder));
  assert.equal(fault.code, "page_unknown");
  assert.ok(fault.message.includes(join(folder, "signin.eta")));
  for (const name of ["layout.eta", "login.eta", "setup.eta", "home.eta", "error.eta"]) {
    assert.ok(fault.message.includes(name), name);
  }
});

test("other files in the folder are left alone", async (t) => {
  const folder = await folderWith(t, { "README.md": "notes", "login.eta~": "<% if ( { %>" });
  mkdirSync(join(folder, "old"));
  assert.match(load(folder).render("login", NOBODY, { returnTo: undefined }), /<form/);
});

test("a folder that is missing, or is no folder, is refused by name", async (t) => {
  const folder = await folderWith(t, { file: "" });
  for (const path of [join(folder, "missing"), join(folder, "file")]) {
    const fault = faultOf(() => load(path));
    assert.equal(fault.code, "pages_unreadable");
    assert.ok(fault.message.includes(path));
  }
});

test("a page in the folder that cannot be read is refused by name", async (t) => {
  const folder = await tempDir(t);
  mkdirSync(join(folder, "login.eta"));
  const fault = faultOf(() => load(folder));
  assert.ok(fault.message.includes(join(folder, "login.eta")), fault.message);
});

test("an error page that cannot be rendered gives way to plain text with the message", async (t) => {
  const pagesDir = await folderWith(t, { "error.eta": "<%= it.nothing.here %>" });
  const gate = await startGate(t, { pagesDir });
  const answer = await gate.send("/no/such/page");
  assert.equal(answer.status, 404);
  assert.match(answer.headers["content-type"] ?? "", /^text\/plain/);
  assert.match(answer.body, /no such page/);
  assert.ok(gate.serverLog.some(({ msg }) => msg === "the error page cannot be rendered"));
});

test("a page that cannot be rendered is an internal failure with the error page", async (t) => {
  const pagesDir = await folderWith(t, { "login.eta": "<%= it.nothing.here %>" });
  const gate = await startGate(t, { pagesDir });
  const answer = await gate.send("/login");
  assert.equal(answer.status, 500);
  assert.match(answer.body, /^<!doctype html>/);
  assert.ok(gate.serverLog.some(({ msg }) => msg === "request failed"));
});
