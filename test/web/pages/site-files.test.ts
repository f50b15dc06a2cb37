import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../support/app.ts";
import { startGate } from "../../support/gate.ts";
import { folderWith } from "../../support/pages.ts";

const SITE = ["/favicon.svg", "/robots.txt", "/.well-known/change-password"];

test("the gate has an icon for those who ask for one without looking at a page", async (t) => {
  const gate = await startGate(t);
  const { status, headers, body } = await gate.send("/favicon.svg");
  assert.deepEqual([status, headers["content-type"]], [200, "image/svg+xml"]);
  assert.match(body, /^<svg [\s\S]*<\/svg>\s*$/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.match(headers["content-security-policy"]?.toString() ?? "", /sandbox/);
  assert.doesNotMatch(
    headers["cache-control"] ?? "",
    /immutable/,
    "its address is always the same",
  );
});

test("the icon is the key, whichever logo the pages have", async (t) => {
  const folder = await folderWith(t, { "logo.svg": "<svg id='own'/>" });
  const gate = await startGate(t, { logoFile: `${folder}/logo.svg` });
  assert.doesNotMatch((await gate.send("/favicon.svg")).body, /own/);
  assert.match((await gate.send("/latchkey-logo")).body, /own/);
});

test("the gate asks search engines to keep out, of everything", async (t) => {
  const gate = await startGate(t);
  const { status, headers, body } = await gate.send("/robots.txt");
  assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.equal(body, "User-agent: *\nDisallow: /\n");
  assert.match((await gate.send("/login")).body, /<meta name="robots" content="noindex">/);
});

test("password managers are led to the page with the password form, signed in or not", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (const sending of [{}, { session }]) {
    const { status, location, body } = await gate.send("/.well-known/change-password", sending);
    assert.deepEqual([status, location, body], [303, "/", ""]);
  }
  assert.match((await gate.send("/", { session })).body, /action="\/account\/password"/);
});

for (const path of SITE) {
  test(`${path} is there to be read alone`, async (t) => {
    const gate = await startGate(t);
    const { status, headers } = await gate.send(path, { form: {} });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
    const head = await gate.send(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.body], [(await gate.send(path)).status, ""]);
  });

  test(`${path} is an application's own, unless it asks for it`, async (t) => {
    for (const options of [{}, { siteFiles: false }, { basePath: "/auth" }] as const) {
      const app = await startApp(t, options);
      assert.equal((await app.send(path)).status, 404);
      assert.equal(app.auth.adapter.owns(path), false);
    }
  });
}

test("an application that asks for them has all three at the site's own paths", async (t) => {
  const app = await startApp(t, { siteFiles: true, basePath: "/auth", homePath: "/me" });
  assert.equal((await app.send("/favicon.svg")).status, 200);
  assert.equal((await app.send("/robots.txt")).status, 200);
  assert.equal((await app.send("/.well-known/change-password")).location, "/me");
  for (const path of SITE) assert.equal(app.auth.adapter.owns(path), true);
});

test("without a home page there is no page that a password manager could be led to", async (t) => {
  const app = await startApp(t, { siteFiles: true, homePath: null });
  assert.equal((await app.send("/.well-known/change-password")).status, 404);
  assert.equal((await app.send("/robots.txt")).status, 200);
});
