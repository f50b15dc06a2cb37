import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./browser.ts";
import { forEachProxy } from "./each.ts";
import { startRecordingApp } from "./recording-app.ts";
import { edited, startSite } from "./site.ts";

const WIKI = ["--app", "wiki.example.org=http://localhost:8081", "--public", "/public"];

forEachProxy((proxy) => {
  test(`${proxy.page}: several apps share the gate's host and session`, async (t) => {
    const wiki = await startRecordingApp(t);
    const both = edited(proxy, { "localhost:8081": wiki.place });
    const site = await startSite(t, both, "Two hosts", WIKI);
    const session = await site.gate.setUp();
    const wikiUrl = site.appUrl.replace("//app.", "//wiki.");
    for (const [url, app, other] of [
      [site.appUrl, site.app, wiki],
      [wikiUrl, wiki, site.app],
    ] as const) {
      const before = other.arrivals.length;
      const asked = `${url}/page`;
      const redirected = await openPage(site, asked);
      const target = encodeURIComponent(asked);
      assert.equal(redirected.location, `${site.gateUrl}/login?return_to=${target}`);
      assert.equal((await openPage(site, asked, { session })).status, 200);
      assert.equal(app.arrivals.at(-1)?.headers["remote-user"], "owner");
      assert.equal((await openPage(site, `${url}/public/x`)).status, 200);
      assert.equal(app.arrivals.at(-1)?.url, "/public/x");
      assert.deepEqual([app.arrivals.length, other.arrivals.length], [2, before]);
    }
    // An app with a middleware for such a header would serve /x of its own.
    const choosing = { "X-Script-Name": "/public", "X-Original-URL": "/x", X_Rewrite_Url: "/x" };
    await openPage(site, `${wikiUrl}/public/x`, { headers: choosing });
    const names = Object.keys(wiki.arrivals.at(-1)?.headers ?? {});
    assert.deepEqual(
      names.filter((name) => /script|original|rewrite/i.test(name)),
      [],
    );
    // Whichever server a proxy chooses for a host that no app has, it asks the gate or refuses.
    for (const host of ["other.example.test", "app.example.test.evil.test", "example.test"]) {
      const headers = { Host: host };
      const { body } = await site.visit(`${site.appUrl}/page`, { headers });
      assert.notEqual(body, "the application", host);
    }
    assert.equal(site.app.arrivals.length + wiki.arrivals.length, 5);
  });
});
