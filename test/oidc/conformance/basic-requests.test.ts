import assert from "node:assert/strict";
import * as client from "openid-client";
import { headingOf, type Page, textOf } from "../browser.ts";
import {
  errorIn,
  isLoginPage,
  type Parameters,
  redeem,
  signIn,
  startSignIn,
  walk,
} from "../sign-in.ts";
import { module, type Visit } from "./module.ts";

/** Asserts a page of the provider that tells the person what is wrong, and leads nowhere. */
function assertRefused(page: Page, heading: string, text: string): void {
  assert.deepEqual([page.status, headingOf(page)], [400, heading]);
  assert.ok(textOf(page).includes(text), textOf(page));
  assert.equal(page.trail.length, 1);
}

const visitWith = async ({ browser, app }: Visit, parameters: Parameters): Promise<Page> =>
  browser.visit((await startSignIn(app, parameters)).url);

const UNKNOWN = "App not recognized";

module(
  "oidcc-ensure-registered-redirect-uri",
  "shows a page, and redirects nowhere",
  async (visit) => {
    const { redirectUri } = visit.app;
    const { origin, host } = new URL(redirectUri);
    for (const uri of [
      "https://evil.example/callback",
      `${redirectUri}/`,
      `${redirectUri}/../callback`,
      `${redirectUri}#`,
      `${redirectUri}%0d%0aX: y`,
      redirectUri.replace("https:", "http:"),
      redirectUri.toUpperCase(),
      `${origin}:443/callback`,
      `${origin}.evil.example/callback`,
      `https://${host}@evil.example/callback`,
      "javascript:alert(1)",
      "//evil.example",
    ]) {
      const page = await visitWith(visit, { redirect_uri: uri });
      assert.deepEqual([page.status, page.trail.length], [400, 1], uri);
      const policy = String(page.headers["content-security-policy"]);
      assert.ok(!policy.includes("evil.example"), policy);
    }
    assertRefused(
      await visitWith(visit, { redirect_uri: "https://evil.example/" }),
      UNKNOWN,
      "evil",
    );
  },
);

module(
  "oidcc-redirect-uri-query-added",
  "refuses a query that is not registered",
  async (visit) => {
    const redirect_uri = `${visit.app.redirectUri}?tenant=1`;
    assertRefused(await visitWith(visit, { redirect_uri }), UNKNOWN, redirect_uri);
  },
);

module("oidcc-redirect-uri-query-OK", "keeps a registered query", async (visit) => {
  const { provider, browser, person } = visit;
  const uri = "https://query.example.org/callback?tenant=1&b=c";
  const app = await provider.addApp({ redirects: [uri] });
  const { url, checks } = await startSignIn(app);
  const { url: callback } = await walk(browser, await browser.visit(url), person);
  assert.ok(callback.href.startsWith(`${uri}&code=`), callback.href);
  // The client removes the query of a redirect URI, so this sends the request without it.
  const redeemWith = (redirect_uri: string) =>
    provider.send("/oidc/token", {
      form: {
        ...{ client_id: app.id, client_secret: app.secret, redirect_uri },
        ...{ grant_type: "authorization_code", code_verifier: String(checks.pkceCodeVerifier) },
        code: callback.searchParams.get("code") ?? "",
      },
    });
  assert.equal((await redeemWith(uri.split("?")[0] ?? "")).status, 400);
  assert.equal((await redeemWith(uri)).status, 200);
  for (const other of [uri.replace("=1", "=2"), `${uri}&d=1`, uri.split("?")[0]]) {
    const page = await visitWith({ ...visit, app }, { redirect_uri: other });
    assertRefused(page, UNKNOWN, String(other));
  }
});

module(
  "oidcc-ensure-redirect-uri-in-authorization-request",
  "must be sent, if the app has two",
  async (visit) => {
    const site = "https://two.example.org";
    const app = await visit.provider.addApp({ redirects: [`${site}/a`, `${site}/b`] });
    const page = await visitWith({ ...visit, app }, { redirect_uri: undefined });
    assert.deepEqual([page.status, page.trail.length], [400, 1]);
  },
);

module("no module: an unknown client", "gets a page, and redirects nowhere", async (visit) => {
  for (const client_id of ["nobody", "<b>x</b>", "", "\u0000", "x".repeat(400)]) {
    const page = await visitWith(visit, { client_id });
    assert.deepEqual([page.status, page.trail.length], [400, 1], client_id);
    assert.ok(!page.html.includes("<b>x"));
  }
  assertRefused(await visitWith(visit, { client_id: "nobody" }), UNKNOWN, "nobody");
});

/** A request object without a signature. */
const requestObject = (claims: object): string =>
  [{ alg: "none" }, claims]
    .map((part) => `${Buffer.from(JSON.stringify(part)).toString("base64url")}.`)
    .join("");

module(
  "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
  "returns request_uri_not_supported",
  async (visit) => {
    const started = await startSignIn(visit.app, {
      request_uri: "https://app.example.org/request",
    });
    const page = await visit.browser.visit(started.url);
    assert.equal(errorIn(page, started), "request_uri_not_supported");
  },
);

module(
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
  "returns request_not_supported",
  async (visit) => {
    const { app, browser } = visit;
    const request = requestObject({ client_id: app.id, iss: app.id, scope: "openid groups" });
    const started = await startSignIn(app, { request });
    assert.equal(errorIn(await browser.visit(started.url), started), "request_not_supported");
  },
);

module(
  "oidcc-ensure-request-object-with-redirect-uri",
  "trusts no redirect URI of a request object",
  async (visit) => {
    const { app, browser } = visit;
    const evil = "https://evil.example/callback";
    const request = requestObject({ client_id: app.id, redirect_uri: app.redirectUri });
    assertRefused(await visitWith(visit, { request, redirect_uri: evil }), UNKNOWN, evil);
    const started = await startSignIn(app, {
      request: requestObject({ client_id: app.id, redirect_uri: evil }),
    });
    assert.equal(errorIn(await browser.visit(started.url), started), "request_not_supported");
  },
);

module("no module: response_mode=form_post", "posts the code to the app", async (visit) => {
  const { browser, app, person } = visit;
  const { url, checks } = await startSignIn(app, { response_mode: "form_post", state: `"'<&>` });
  const login = await browser.visit(url);
  assert.ok(isLoginPage(login));
  let page = await browser.submit(login, { username: person.username, password: person.password });
  assert.match(String(page.headers["content-security-policy"]), /script-src 'sha256-[^']+'/);
  page = await browser.submit(page);
  assert.deepEqual([page.url.href, page.posted?.has("code")], [app.redirectUri, true]);
  const callback = new URL(`?${page.posted}`, page.url);
  assert.equal((await redeem(app, callback, checks)).claims.sub, person.id);
});

module("no module: response_mode=fragment", "puts the code after the #", async (visit) => {
  const { browser, app, person } = visit;
  const { url } = await startSignIn(app, { response_mode: "fragment" });
  const page = await walk(browser, await browser.visit(url), person);
  assert.deepEqual([page.url.search, page.url.hash.startsWith("#code=")], ["", true]);
});

module(
  "no module: hostile requests",
  "are refused without a failure of the server",
  async (visit) => {
    const { provider, browser, app } = visit;
    const { url } = await startSignIn(app);
    const all = url.searchParams.toString();
    for (const query of [
      `${all}&client_id=${app.id}`,
      `${all}&redirect_uri=https://evil.example/`,
      all.replace("scope=openid", "scope=%ff%fe"),
      "client_id=%00",
      "%",
      "__proto__=1&constructor=2",
      `${all}&claims=${encodeURIComponent('{"id_token":{"__proto__":null}}')}`,
      `${all}&claims=[]`,
      `${all}&max_age=1e9`,
      `${all}&prompt=none%20login`,
    ]) {
      const answer = await browser.open(`/oidc/authorize?${query}`);
      assert.ok([303, 400].includes(answer.status), `${answer.status} for ${query}`);
      assert.ok(!answer.location?.startsWith("https://evil"), query);
    }
    for (const body of [
      `${all}\r\nX-Injected: 1`,
      "\u00e9=\u0000",
      "a=b\nc",
      "",
      `${all}&${"é".repeat(2_000)}`,
      "x".repeat(60_000),
    ]) {
      const { status, headers } = await provider.send("/oidc/authorize", {
        ...{
          method: "POST",
          body,
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
        },
      });
      assert.ok([303, 400, 413].includes(status), `${status} for ${body.slice(0, 40)}`);
      assert.equal(headers["x-injected"], undefined);
    }
  },
);

module("no module: pushed requests", "work once, and only from the app itself", async (visit) => {
  const { provider, browser, app, person } = visit;
  const { url: direct, checks } = await startSignIn(app);
  const url = await client.buildAuthorizationUrlWithPAR(app.client, direct.searchParams);
  assert.deepEqual([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
  const { url: callback } = await walk(browser, await browser.visit(url), person);
  assert.equal((await redeem(app, callback, checks)).claims.sub, person.id);
  assert.ok(!(await browser.visit(url)).url.searchParams.has("code"));

  const form = Object.fromEntries(direct.searchParams);
  assert.equal((await provider.send("/oidc/par", { form })).status, 401);
});

module(
  "no module: a sign-in that an attacker has begun",
  "continues in no other browser",
  async (visit) => {
    const { provider, browser, app, person } = visit;
    const page = await browser.visit((await startSignIn(app)).url);
    const victim = provider.openBrowser();
    await signIn(victim, app, person);
    const returnTo = page.url.searchParams.get("return_to") ?? "";
    const id = returnTo.split("/").at(-1);
    for (const path of [returnTo, `/oidc/authorize/${id}`]) {
      const { status, trail } = await victim.visit(path);
      assert.deepEqual([status, trail.length], [400, 1], path);
    }
  },
);
