import assert from "node:assert/strict";
import { test } from "node:test";
import { sendRaw } from "../support/raw.ts";
import { openPage } from "./browser.ts";
import { forEachProxy } from "./each.ts";
import { type Recipe, withRecipe } from "./recipe.ts";
import { CLIENT, type Site, startSite } from "./site.ts";

/** Registers a test of a recipe for each proxy, on one host. */
function testRecipe(
  heading: Recipe | "Paths that stay public",
  check: (site: Site) => Promise<void>,
): void {
  forEachProxy((proxy) => {
    test(`${proxy.page}, recipe "${heading}"`, async (t) => {
      const site =
        heading === "Paths that stay public"
          ? startSite(t, proxy, "One host", ["--public", "/public"])
          : startSite(t, withRecipe(proxy, heading), "One host");
      await check(await site);
    });
  });
}

testRecipe("Paths that stay public", async (site) => {
  const session = await site.gate.setUp();
  const headers = {
    "Remote-User": "attacker",
    Remote_User: "attacker",
    "X-Forwarded-Host": "attacker.test",
    Cookie: `session=${session}; a=1`,
  };
  for (const path of ["/public/a.css", "/public/a/b-c.js?x=/../y", "/public/"]) {
    assert.equal((await openPage(site, `${site.appUrl}${path}`, { headers })).status, 200, path);
    const arrival = site.app.arrivals.at(-1);
    assert.equal(arrival?.url, path);
    assert.equal(arrival?.headers["remote-user"] ?? "", "");
    assert.equal(arrival?.headers.remote_user, undefined);
    assert.equal(arrival?.headers["x-forwarded-host"], arrival?.headers.host);
    assert.equal(arrival?.headers.cookie?.replace(/^;? */, ""), "a=1");
  }
});

/** Passed on as it is, it would end the first line of the request. */
const LINE_BREAK = "/public/x%0a?a:b";

testRecipe("Paths that stay public", async (site) => {
  await site.gate.setUp();
  const { host } = new URL(site.appUrl);
  const paths = [
    ...["/public/../admin", "/public/..%2fadmin", "/public/%2e%2e/admin", "/public/..;/admin"],
    ...["/admin/..%2fpublic/x", "/admin/../public/x", "/admin/%2e%2e%2fpublic/x", "//public/x"],
    ...["/publicity", "/PUBLIC/x", "/public/.env", "/public/x%00", "/public/%252e%252e/admin"],
    ...["/public/x\\..\\admin", "/public//../admin", `${site.appUrl}/public/../admin`],
    ...["/admin?/public/x", LINE_BREAK, "http:///public/x"],
    // HAProxy takes the path from the first slash, and an app the query from the question mark.
    ...["?x=", "x", "#", "\\admin", "@evil.test"].map((end) => `http://${host}${end}/public/x`),
  ];
  for (const path of paths) {
    const [, asked = host] = /^http:\/\/([^/]+)/.exec(path) ?? [];
    const request = `GET ${path} HTTP/1.1\r\nHost: ${asked}\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(site.proxyUrl, request);
    assert.match(answer, path === LINE_BREAK ? /^HTTP\/1\.1 [34]0[13]/ : /^HTTP\/1\.1 \d/, path);
  }
  // nginx passes on what it has decoded.
  for (const { url } of site.app.arrivals) assert.equal(url, "/public/x");
});

testRecipe("API paths", async (site) => {
  await site.gate.setUp();
  assert.equal((await openPage(site, `${site.appUrl}/api/notes`)).status, 401);
  assert.equal((await openPage(site, `${site.appUrl}/notes`)).status, 303);
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  assert.equal((await openPage(site, `${site.appUrl}/notes`, { headers })).status, 401);
  assert.deepEqual(site.app.arrivals, []);
});

testRecipe("Local network without a sign-in", async (site) => {
  const session = await site.gate.setUp();
  const headers = { "Remote-User": "attacker", Cookie: `session=${session}` };
  assert.equal((await openPage(site, `${site.appUrl}/page`, { headers })).status, 200);
  const [arrival] = site.app.arrivals;
  assert.equal(arrival?.headers["remote-user"] ?? "", "");
  assert.equal(arrival?.headers.cookie ?? "", "");
  const outside = {
    from: "127.0.0.3",
    headers: { "X-Forwarded-For": CLIENT, "X-Real-IP": CLIENT },
  };
  assert.equal((await openPage(site, `${site.appUrl}/page`, outside)).status, 303);
  assert.equal((await site.visit(`${site.appUrl}/page`, outside)).status, 401);
  assert.equal((await openPage(site, `${site.appUrl}/page`, { ...outside, session })).status, 200);
  assert.equal(site.app.arrivals.at(-1)?.headers["remote-user"], "owner");
});
