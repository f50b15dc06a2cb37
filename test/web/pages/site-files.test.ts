import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../../support/app.ts";
import { startConfigured, startGate } from "../../support/gate.ts";

const SITE = ["/favicon.svg", "/robots.txt", "/.well-known/change-password"];

test("serves an icon to clients that request it without reading a page", async (t) => {
  const gate = await startGate(t);
  const { status, headers, body } = await gate.send("/favicon.svg");
  assert.deepEqual([status, headers["content-type"]], [200, "image/svg+xml"]);
  assert.match(body, /^<svg [\s\S]*<\/svg>\s*$/);
});

test("excludes search engines from the whole gate", async (t) => {
  const gate = await startGate(t);
  const { status, headers, body } = await gate.send("/robots.txt");
  assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.equal(body, "User-agent: *\nDisallow: /\n");
  assert.match((await gate.send("/login")).body, /<meta name="robots" content="noindex">/);
});

test("redirects password managers to the page with the password form, signed in or not", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (const sending of [{}, { session }]) {
    const { status, location, body } = await gate.send("/.well-known/change-password", sending);
    assert.deepEqual([status, location, body], [303, "/account/#change-password", ""]);
  }
  const { body } = await gate.send("/account/", { session });
  assert.match(body, /<form [^>]*action="\/account\/password" id="change-password"/);
});

test("leaves them to the application without the siteFiles option", async (t) => {
  for (const options of [{}, { siteFiles: false }, { basePath: "/auth" }] as const) {
    const app = await startApp(t, options);
    for (const path of SITE) {
      const { status, headers } = await app.send(path);
      assert.deepEqual([status, headers["x-request-id"]], [404, undefined], path);
      assert.equal(app.auth.adapter.owns(path), false);
    }
  }
});
