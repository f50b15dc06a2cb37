import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured, startGate } from "../support/gate.ts";
import { folderWith } from "../support/pages.ts";

const SITE = ["/favicon.svg", "/robots.txt", "/.well-known/change-password"];

test("serves the key as the icon to clients that read no page", async (t) => {
  const folder = await folderWith(t, { "logo.svg": "<svg id='own'/>" });
  const gate = await startGate(t, { logoFile: `${folder}/logo.svg` });
  const { status, headers, body } = await gate.send("/favicon.svg");
  assert.deepEqual([status, headers["content-type"]], [200, "image/svg+xml"]);
  assert.match(body, /^<svg (?![\s\S]*own)[\s\S]*<\/svg>\s*$/);
  assert.match((await gate.send("/latchkey-logo")).body, /own/);
});

test("excludes search engines from the whole gate", async (t) => {
  const gate = await startGate(t);
  const { status, headers, body } = await gate.send("/robots.txt");
  assert.deepEqual([status, headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.equal(body, "User-agent: *\nDisallow: /\n");
  assert.match((await gate.send("/login")).body, /<meta name="robots" content="noindex">/);
});

test("redirects password managers to the page with the password form", async (t) => {
  const { gate, session } = await startConfigured(t);
  for (const sending of [{}, { session }]) {
    const { status, location, body } = await gate.send("/.well-known/change-password", sending);
    assert.deepEqual([status, location, body], [303, "/account/sign-in#change-password", ""]);
  }
  const { body } = await gate.send("/account/sign-in", { session });
  assert.match(body, /<form [^>]*action="\/account\/password" id="change-password"/);
});

test("these paths allow only GET and HEAD", async (t) => {
  const gate = await startGate(t);
  for (const path of SITE) {
    const { status, headers } = await gate.send(path, { form: {} });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"], path);
    const head = await gate.send(path, { method: "HEAD" });
    assert.deepEqual([head.status, head.body], [(await gate.send(path)).status, ""], path);
  }
});
