import assert from "node:assert/strict";
import { addUser } from "../support/add-user.ts";
import { openPage } from "./browser.ts";
import type { Rule } from "./rules.ts";

/** Rules of an application that admits the owner only. */
export function testAccess(rule: Rule): void {
  rule("a listed user reaches the application, and others get 403", async (site) => {
    const session = await site.gate.setUp();
    const guest = addUser(site.gate, "guest");
    const url = `${site.appUrl}/page`;
    assert.equal((await openPage(site, url, { session })).status, 200);
    for (const method of ["GET", "POST"]) {
      const { status, body } = await openPage(site, url, { session: guest, method });
      assert.equal(status, 403, method);
      if (method === "GET") assert.match(body, /<bdi>guest<\/bdi>.* may not open/);
    }
    assert.equal((await site.visit(url, { session: guest })).status, 403);
    assert.equal((await openPage(site, url)).status, 303);
    assert.equal(site.app.arrivals.length, 1);

    const { body } = await openPage(site, url, { session: guest });
    if (site.appUrl !== site.gateUrl) {
      assert.ok(body.includes(`href="${site.gateUrl}/login?return_to=${encodeURIComponent(url)}"`));
      return;
    }
    const action = /<form method="post" action="([^"]+)"/.exec(body)?.[1] ?? "";
    const headers = { Origin: site.appUrl, "Sec-Fetch-Site": "same-origin" };
    const out = await site.visit(new URL(action, url).href, {
      session: guest,
      form: {},
      headers,
    });
    assert.deepEqual([out.status, out.location, out.session], [303, "/login", ""]);
  });

  rule("a client cannot change the list", async (site) => {
    const session = await site.gate.setUp();
    const guest = addUser(site.gate, "guest");
    const asked = [
      ...["/page?users=guest", "/page?a&users=owner,guest"],
      ...["/?deny=401&users=guest", "/page%3Fusers=guest"],
    ];
    const headers = {
      "X-Forwarded-Uri": "/page?users=guest",
      "X-Original-URI": "/forward-auth?users=guest",
      "X-Original-URL": "/forward-auth?users=guest",
      "X-Rewrite-URL": "/forward-auth?users=guest",
      "X-Forwarded-Prefix": "/forward-auth?users=guest",
      "Remote-User": "owner",
      users: "guest",
    };
    for (const path of asked) {
      for (const sent of [{}, headers]) {
        const url = `${site.appUrl}${path}`;
        const sending = { session: guest, headers: sent };
        assert.equal((await openPage(site, url, sending)).status, 403, path);
        assert.equal((await site.visit(url, sending)).status, 403, path);
      }
    }
    assert.equal(site.app.arrivals.length, 0);
    const { status } = await openPage(site, `${site.appUrl}/page?users=guest`, { session });
    assert.equal(status, 200);
    assert.equal(site.app.arrivals[0]?.url, "/page?users=guest");
  });
}
