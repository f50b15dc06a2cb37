import assert from "node:assert/strict";
import { changeForm, OWNER } from "../support/gate.ts";
import { fillIn, openPage, redirectTarget } from "./browser.ts";
import type { Rule } from "./rules.ts";

const PATH = "/notes/a%20b?tag=a%2Fb&x=1+2&deny=401&return_to=http://evil.test/&y=%C3%BC";

export function testReturnTargets(rule: Rule): void {
  rule("redirects a page to the sign-in page, and back after the sign-in", async (site, setUp) => {
    await site.gate.setUp();
    const asked = `${site.appUrl}${PATH}`;
    const redirected = await openPage(site, asked);
    assert.equal(redirected.status, 303);
    // Relative on one host, so that it works behind another port or another TLS proxy.
    assert.equal(redirected.location?.startsWith("/login?"), setUp === "One host");
    const signInUrl = redirectTarget(asked, redirected);
    assert.equal(signInUrl.split("?")[0], `${site.gateUrl}/login`);

    const wrong = await fillIn(site, signInUrl, { ...OWNER, password: "wrong" });
    assert.equal(wrong.status, 303);
    const again = redirectTarget(signInUrl, wrong);
    assert.match(again, /\/login\?error=1&/);
    const right = await fillIn(site, again);
    assert.deepEqual([right.status, right.location], [303, asked]);

    const page = await openPage(site, asked, { session: right.session });
    assert.deepEqual([page.status, page.body], [200, "the application"]);
    const urls = site.app.arrivals.map(({ url }) => url);
    assert.deepEqual(urls, [PATH]);
  });

  rule("without an account, redirects a page to the setup, and back after it", async (site) => {
    const asked = `${site.appUrl}${PATH}`;
    const redirected = await openPage(site, asked);
    assert.equal(redirected.status, 303);
    const signInUrl = redirectTarget(asked, redirected);
    assert.equal(signInUrl.split("?")[0], `${site.gateUrl}/setup`);
    const made = await fillIn(site, signInUrl, { ...OWNER, confirm: OWNER.password });
    assert.deepEqual([made.status, made.location], [303, asked]);
    const page = await openPage(site, asked, { session: made.session });
    assert.deepEqual([page.status, page.body], [200, "the application"]);
  });

  rule("sets the cookie domain only if the setup has two hosts", async (site, setUp) => {
    await site.gate.setUp();
    const { cookies } = await fillIn(site, `${site.gateUrl}/login`);
    const domain = /; Domain=([^;]+)/.exec(cookies.at(-1) ?? "")?.[1];
    assert.equal(domain, setUp === "One host" ? undefined : "example.test");
  });

  rule("redirects to no host of a client's header or another site's link", async (site) => {
    await site.gate.setUp();
    const asked = `${site.appUrl}/page`;
    const headers = {
      "X-Forwarded-Host": "evil.test",
      "X-Forwarded-Uri": "//evil.test/",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.test;proto=https",
    };
    const signInUrl = redirectTarget(asked, await openPage(site, asked, { headers }));
    assert.equal((await fillIn(site, signInUrl)).location, asked);

    const target = encodeURIComponent("http://evil.test/");
    const linked = await fillIn(site, `${site.gateUrl}/login?return_to=${target}`);
    assert.deepEqual([linked.status, linked.location], [303, "/"]);
    const posted = await fillIn(site, `${site.gateUrl}/login`, {
      ...OWNER,
      return_to: "http://evil.test/",
    });
    assert.deepEqual([posted.status, posted.location], [303, "/"]);
  });

  rule("serves the password form with style sheet and script, which works", async (site, setUp) => {
    await site.gate.setUp();
    const { session } = await fillIn(site, `${site.gateUrl}/login`);
    const first = `${site.gateUrl}${setUp === "One host" ? "/account/" : "/"}`;
    const opened = redirectTarget(first, await openPage(site, first, { session }));
    const expected = setUp === "One host" ? "/account/profile" : "/apps";
    assert.equal(opened, `${site.gateUrl}${expected}`);
    for (const path of ["/apps", "/account/profile"]) {
      assert.equal((await openPage(site, site.gateUrl + path, { session })).status, 200, path);
    }
    const page = `${site.gateUrl}/account/sign-in`;
    const { status, body } = await openPage(site, page, { session });
    assert.equal(status, 200);
    const sheet = /<link rel="stylesheet" href="([^"]+)"/.exec(body)?.[1] ?? "";
    const style = await site.visit(`${site.gateUrl}${sheet}`);
    assert.match(String(style.headers["content-type"]), /^text\/css/);
    const code = /<script [^>]*src="([^"]+)"/.exec(body)?.[1] ?? "";
    const script = await site.visit(`${site.gateUrl}${code}`);
    assert.match(String(script.headers["content-type"]), /^text\/javascript/);

    const changed = await site.visit(`${site.gateUrl}/account/password`, {
      form: changeForm(OWNER.password, "a new one"),
      session,
      headers: { Origin: site.gateUrl, Referer: page },
    });
    assert.equal(changed.status, 303);
    assert.equal(redirectTarget(page, changed), page);
    const [notice = ""] = changed.cookies.map((cookie) => cookie.split(";", 1)[0]);
    const headers = { Cookie: `session=${session}; ${notice}` };
    const again = await openPage(site, page, { headers });
    assert.match(again.body, /class="notice" role="status"/);
    assert.equal((await site.gate.signIn({ password: "a new one" })).location, "/");
    assert.deepEqual(site.app.arrivals, []);
  });

  rule("paths below those of the gate are its own only on a shared host", async (site, setUp) => {
    const session = await site.gate.setUp();
    for (const path of ["/account/new", "/account/new/er", "/login/new", "/link/new"]) {
      const { status } = await site.visit(`${site.appUrl}${path}`, { session });
      assert.equal(status, setUp === "One host" ? 404 : 200, path);
    }
    assert.equal(site.app.arrivals.length, setUp === "One host" ? 0 : 4);
  });
}
