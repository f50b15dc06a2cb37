import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Answer } from "../support/client.ts";
import { OWNER } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";
import { testAccess } from "./access.ts";
import { openPage, PAGE } from "./browser.ts";
import type { SetUp } from "./examples.ts";
import { testReceivedHeaders } from "./received-headers.ts";
import { testRequestIds } from "./request-id.ts";
import { type ProxyServer, type Site, startSite } from "./site.ts";
import { testTransport } from "./transport.ts";
import { testReturnTargets } from "./way-back.ts";

export type Rule = (name: string, check: (site: Site, setUp: SetUp) => Promise<void>) => void;

/** Registers the tests of a proxy for both setups of its page. */
export function testProxy(proxy: ProxyServer): void {
  for (const setUp of ["One host", "Two hosts"] as const) {
    const rule: Rule = (name, check) => {
      test(`${proxy.page}, ${setUp.toLowerCase()}: ${name}`, async (t: TestContext) => {
        await check(await startSite(t, proxy, setUp), setUp);
      });
    };
    testRequestIds(proxy, setUp);
    testReturnTargets(rule);
    testGuard(rule);
    testReceivedHeaders(rule);
    testLimit(rule);
    testTransport(rule);
    testAccess((name, check) => {
      test(`${proxy.page}, ${setUp.toLowerCase()}, with a list of users: ${name}`, async (t) => {
        const users = `${OWNER.username},Ann Lee,J'ü{"}#$`;
        await check(await startSite(t, proxy, setUp, ["--users", users]), setUp);
      });
    });
  }
}

function testGuard(rule: Rule): void {
  rule("scripts and clients that do not accept HTML get 401, no redirect", async (site) => {
    const others: readonly Readonly<Record<string, string>>[] = [
      { Accept: "*/*" },
      { Accept: "application/json" },
      { ...PAGE, "X-Requested-With": "XMLHttpRequest" },
      { ...PAGE, "HX-Request": "true" },
    ];
    for (const account of ["without", "with"]) {
      if (account === "with") await site.gate.setUp();
      for (const headers of others) {
        const answer = await site.visit(`${site.appUrl}/data`, { headers });
        assert.deepEqual(
          [answer.status, answer.location],
          [401, undefined],
          JSON.stringify(headers),
        );
      }
    }
    assert.deepEqual(site.app.arrivals, []);
  });

  rule("a form without a session gets 401 and does not reach the app", async (site) => {
    await site.gate.setUp();
    for (const method of ["POST", "PUT", "DELETE"]) {
      const sending = { method, body: "secret=1", headers: { "X-Forwarded-Method": "GET" } };
      const answer = await openPage(site, `${site.appUrl}/form`, sending);
      assert.deepEqual([answer.status, answer.location], [401, undefined], method);
    }
    assert.deepEqual(site.app.arrivals, []);
  });

  rule("a signed-in request reaches the app with its method, URL and body", async (site) => {
    const session = await site.gate.setUp();
    const body = "x".repeat(100_000);
    const url = "/form%20/a?b=%20c&deny=401";
    const answer = await site.visit(`${site.appUrl}${url}`, { method: "PUT", body, session });
    assert.deepEqual([answer.status, answer.body], [200, "the application"]);
    const [arrival] = site.app.arrivals;
    assert.deepEqual([arrival?.method, arrival?.url, arrival?.body], ["PUT", url, body]);
  });

  rule("a 401 or 403 from the application is passed on unchanged", async (site) => {
    const session = await site.gate.setUp();
    for (const status of [401, 403]) {
      const answer = await openPage(site, `${site.appUrl}/own-${status}`, { session });
      assert.deepEqual([answer.status, answer.body], [status, "the application"]);
    }
  });

  rule(
    "a request for a host that was not configured reaches neither the app nor the gate",
    async (site) => {
      const session = await site.gate.setUp();
      const { port } = new URL(site.appUrl);
      const hosts = [
        ...["photos.other.test", "app.example.test.other.test", "127.0.0.9", "localhost", ""],
        ...[
          "app%2eexample.test",
          "app.example%2Etest",
          "app\u00ad.example.test",
          "%61pp.example.test",
        ],
      ];
      for (const host of hosts) {
        for (const path of ["/page", "/login", "/account/"]) {
          const head = `GET ${path} HTTP/1.1\r\nHost: ${host && `${host}:${port}`}\r\n`;
          const request = `${head}Cookie: session=${session}\r\nConnection: close\r\n\r\n`;
          const answer = await sendRaw(site.proxyUrl, request);
          assert.doesNotMatch(answer, /the application|Latchkey/, `${host}${path}`);
        }
      }
      // A whole URL counts before Host, so the app gets its host, if it gets the request at all.
      const head = `GET ${site.appUrl}/page HTTP/1.1\r\nHost: photos.other.test\r\n`;
      const whole = `${head}Cookie: session=${session}\r\nConnection: close\r\n\r\n`;
      assert.match(await sendRaw(site.proxyUrl, whole), /^HTTP\/1\.1 [24]/);
      for (const { headers } of site.app.arrivals)
        assert.match(String(headers.host), /^app\.example\.test(:\d+)?$/);
      assert.ok(site.app.arrivals.length <= 1);
    },
  );

  rule("no spelling of a path bypasses the guard", async (site) => {
    await site.gate.setUp();
    const paths = [
      ...["/login/../page", "/login../page", "/page/../login", "/login%2f..%2fpage", "/./page"],
      ...["/page/..%2flogin", "/login/%2e%2e/page", `${site.appUrl}/page`, "/login/page"],
      ...["http://auth.example.test/page", "/account/../page", "/account/page", "//page"],
      ...["/LOGIN", "/login;/page", "/latchkey-asks", "/forward-auth"],
    ];
    const host = new URL(site.appUrl).host;
    for (const path of paths) {
      const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      assert.match(await sendRaw(site.proxyUrl, request), /^HTTP\/1\.1 \d/, path);
    }
    assert.deepEqual(site.app.arrivals, []);
  });
}

function testLimit(rule: Rule): void {
  rule("sign-in attempts count per client, whatever X-Forwarded-For it sends", async (site) => {
    await site.gate.setUp();
    const attempt = (password: string, from: string, claimed: string): Promise<Answer> =>
      site.visit(`${site.gateUrl}/login`, {
        form: { ...OWNER, password },
        from,
        headers: { "X-Forwarded-For": claimed, Connection: "close, X-Forwarded-For" },
      });
    for (const [last] of Array(5).entries()) {
      const wrong = (await attempt("wrong", "127.0.0.5", `192.0.2.${last}`)).location;
      assert.equal(wrong, "/login?error=1");
    }
    const denied = await attempt(OWNER.password, "127.0.0.5", "192.0.2.9");
    assert.equal(denied.location, "/login?error=1");
    assert.equal((await attempt(OWNER.password, "127.0.0.6", "127.0.0.5")).location, "/");

    const entries = await site.gate.logEntries(3);
    const summaries = entries.map(({ summary }) => summary);
    assert.deepEqual(summaries, [
      "Created account owner",
      "Rate limited login from 127.0.0.5",
      "Signed in as owner",
    ]);
  });
}
