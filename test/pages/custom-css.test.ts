import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { startConfigured } from "../support/gate.ts";
import { assertNothingInline, elements } from "../support/markup.ts";

const CSS = `/* </style><script>alert("1")</script> */ body { background: pink; } /* ä */`;

const sheetsIn = (html: string): readonly string[] =>
  elements(html, "link").flatMap(({ rel, href }) => (rel === "stylesheet" ? `${href}` : []));

test("every page loads the style sheet after the built-in one, from a URL of its own", async (t) => {
  const { gate, session } = await startConfigured(t, { customCss: CSS, accentColor: "#c00" });
  const pages = ["/login", "/apps", "/account/profile", "/account/people", "/nothing"];
  const shown = await Promise.all(pages.map((path) => gate.send(path, { session })));
  const [, url = ""] = sheetsIn(shown[0]?.body ?? "");
  for (const { body, headers } of shown) {
    const sheets = sheetsIn(body);
    assert.equal(sheets.at(-1), url);
    assert.equal(sheets.length, body.includes('class="shell"') ? 3 : 2);
    for (const own of sheets.slice(0, -1)) {
      assert.match(own, /^\/latchkey\.css\?v=[\w-]{12}$/);
      assert.notEqual(own, url);
    }
    assertNothingInline(body);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /(^|; )style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|nonce|sha256/);
  }
  const sheet = await gate.send(url);
  assert.deepEqual([sheet.status, sheet.body], [200, CSS]);
  assert.equal(sheet.headers["content-type"], "text/css; charset=utf-8");
  assert.equal(sheet.headers["x-content-type-options"], "nosniff");
  assert.equal(sheet.headers["cache-control"], "public, max-age=31536000, immutable");
  assert.match(
    String(sheet.headers["content-security-policy"]),
    /^default-src 'none'; .*; sandbox$/,
  );
  const [own = ""] = sheetsIn(shown[0]?.body ?? "");
  assert.doesNotMatch((await gate.send(own)).body, /pink/);
});

test("the page for a user whom an app does not admit has it from the gate", async (t) => {
  const publicUrl = "https://auth.example.org";
  const { gate, session } = await startConfigured(t, { customCss: CSS, publicUrl });
  const { body } = await gate.send("/forward-auth?users=another", {
    session,
    headers: { Accept: "text/html" },
  });
  const sheets = sheetsIn(body);
  assert.equal(sheets.length, 2);
  for (const sheet of sheets) assert.ok(sheet.startsWith(`${publicUrl}/latchkey.css?v=`), sheet);
});

test("pages have one style sheet without custom CSS, and with an empty one", async (t) => {
  for (const css of [undefined, ""]) {
    const app = await startApp(t, { pages: { css } });
    assert.equal(sheetsIn((await app.send("/login")).body).length, 1);
  }
});

test("the library serves the text of pages.css below the base path", async (t) => {
  const app = await startApp(t, { basePath: "/auth", pages: { css: CSS } });
  const [, url = ""] = sheetsIn((await app.send("/auth/login")).body);
  assert.match(url, /^\/auth\/latchkey\.css\?v=/);
  assert.equal((await app.send(url)).body, CSS);
});
