import assert from "node:assert/strict";
import { OWNER } from "../support/gate.ts";
import { fillIn, leadsTo, openPage } from "./browser.ts";
import type { Rule } from "./rules.ts";

const PATH = "/notes/a%20b?tag=a%2Fb&x=1+2&deny=401&return_to=http://evil.test/&y=%C3%BC";

export function provesTheWayBack(rule: Rule): void {
  rule("a page leads to the sign-in and from there back to it", async (site, setUp) => {
    await site.gate.setUp();
    const asked = `${site.appUrl}${PATH}`;
    const turned = await openPage(site, asked);
    assert.equal(turned.status, 303);
    // On one host without a name in it, so that it holds where another port or TLS is in front.
    assert.equal(turned.location?.startsWith("/login?"), setUp === "One host");
    const door = leadsTo(asked, turned);
    assert.equal(door.split("?")[0], `${site.doorUrl}/login`);

    const wrong = await fillIn(site, door, { ...OWNER, password: "wrong" });
    assert.equal(wrong.status, 303);
    const again = leadsTo(door, wrong);
    assert.match(again, /\/login\?error=1&/);
    const right = await fillIn(site, again);
    assert.deepEqual([right.status, right.location], [303, asked]);

    const page = await openPage(site, asked, { session: right.session });
    assert.deepEqual([page.status, page.body], [200, "the application"]);
    assert.deepEqual(
      site.app.arrivals.map(({ url }) => url),
      [PATH],
    );
  });

  rule(
    "while there is no account, a page leads to the setup and from there back to it",
    async (site) => {
      const asked = `${site.appUrl}${PATH}`;
      const turned = await openPage(site, asked);
      assert.equal(turned.status, 303);
      const door = leadsTo(asked, turned);
      assert.equal(door.split("?")[0], `${site.doorUrl}/setup`);
      const made = await fillIn(site, door, { ...OWNER, confirm: OWNER.password });
      assert.deepEqual([made.status, made.location], [303, asked]);
      const page = await openPage(site, asked, { session: made.session });
      assert.deepEqual([page.status, page.body], [200, "the application"]);
    },
  );

  rule("the session is shared as far as the set-up needs, and no further", async (site, setUp) => {
    await site.gate.setUp();
    const { cookies } = await fillIn(site, `${site.doorUrl}/login`);
    const domain = /; Domain=([^;]+)/.exec(cookies.at(-1) ?? "")?.[1];
    assert.equal(domain, setUp === "One host" ? undefined : "door.test");
  });

  rule("nobody is led to a host that a client or another site names", async (site) => {
    await site.gate.setUp();
    const asked = `${site.appUrl}/page`;
    const headers = {
      "X-Forwarded-Host": "evil.test",
      "X-Forwarded-Uri": "//evil.test/",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.test;proto=https",
    };
    const door = leadsTo(asked, await openPage(site, asked, { headers }));
    assert.equal((await fillIn(site, door)).location, asked);

    const target = encodeURIComponent("http://evil.test/");
    const lured = await fillIn(site, `${site.doorUrl}/login?return_to=${target}`);
    assert.deepEqual([lured.status, lured.location], [303, "/"]);
    const posted = await fillIn(site, `${site.doorUrl}/login`, {
      ...OWNER,
      return_to: "http://evil.test/",
    });
    assert.deepEqual([posted.status, posted.location], [303, "/"]);
  });

  rule(
    "the form for the password is there, with its style sheet and script, and works",
    async (site, setUp) => {
      await site.gate.setUp();
      const { session } = await fillIn(site, `${site.doorUrl}/login`);
      const home = `${site.doorUrl}${setUp === "One host" ? "/account/" : "/"}`;
      const { status, body } = await openPage(site, home, { session });
      assert.equal(status, 200);
      const sheet = /<link rel="stylesheet" href="([^"]+)"/.exec(body)?.[1] ?? "";
      const style = await site.visit(`${site.doorUrl}${sheet}`);
      assert.match(String(style.headers["content-type"]), /^text\/css/);
      const code = /<script [^>]*src="([^"]+)"/.exec(body)?.[1] ?? "";
      const script = await site.visit(`${site.doorUrl}${code}`);
      assert.match(String(script.headers["content-type"]), /^text\/javascript/);

      const changed = await site.visit(`${site.doorUrl}/account/password`, {
        form: {
          current_password: OWNER.password,
          new_password: "a new one",
          confirm_password: "a new one",
        },
        session,
        headers: { Origin: site.doorUrl, Referer: home },
      });
      assert.equal(changed.status, 303);
      assert.equal(leadsTo(home, changed), home);
      assert.equal((await site.gate.signIn({ password: "a new one" })).location, "/");
      assert.deepEqual(site.app.arrivals, []);
    },
  );
}
