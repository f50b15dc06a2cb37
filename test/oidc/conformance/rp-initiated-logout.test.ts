import assert from "node:assert/strict";
import { generateKeyPair, SignJWT } from "jose";
import * as client from "openid-client";
import { getWords } from "../../../src/pages/words.ts";
import { headingOf, type Page } from "../browser.ts";
import { ISSUER } from "../provider.ts";
import { errorIn, type SignedIn, signIn, startSignIn } from "../sign-in.ts";
import { advanceTime } from "../time.ts";
import { module, type Visit } from "./module.ts";

const en = getWords("en");

interface LogoutVisit extends Visit {
  readonly signedIn: SignedIn;
  readonly hint: string;
  /** Where the app wants the browser after the sign-out. */
  readonly returnUri: string;
}

/** Registers a module that begins after a sign-in. */
function afterSignIn(
  name: string,
  behaviour: string,
  check: (visit: LogoutVisit) => Promise<void>,
): void {
  module(name, behaviour, async (visit) => {
    const { browser, app, person } = visit;
    const signedIn = await signIn(browser, app, person);
    const returnUri = app.redirectUri.replace("callback", "signed-out");
    await check({ ...visit, signedIn, hint: signedIn.tokens.id_token ?? "", returnUri });
  });
}

/** Sends the browser to the end of the session with these parameters. */
const end = ({ browser, app }: Visit, parameters: Readonly<Record<string, string>>) => {
  const url = new URL(String(app.client.serverMetadata().end_session_endpoint));
  url.search = new URLSearchParams(parameters).toString();
  return browser.visit(url);
};

/** Asserts that the person must sign in again, and that nothing of the session works. */
async function assertSignedOut({ browser, app, signedIn, person }: LogoutVisit): Promise<void> {
  const started = await startSignIn(app, { prompt: "none" });
  assert.equal(errorIn(await browser.visit(started.url), started), "login_required");
  assert.equal((await browser.visit("/")).url.pathname, "/login");
  const { access_token: access, refresh_token: refresh = "" } = signedIn.tokens;
  await assert.rejects(client.fetchUserInfo(app.client, access, person.id), { status: 401 });
  await assert.rejects(client.refreshTokenGrant(app.client, refresh), { error: "invalid_grant" });
}

async function assertSignedIn({ browser, app, signedIn, person }: LogoutVisit): Promise<void> {
  const { claims } = await signIn(browser, app, person, { prompt: "none" });
  assert.equal(claims.auth_time, signedIn.claims.auth_time);
}

/** Asserts that the provider asks before it ends anything, and names the app if it is known. */
function assertAsks(page: Page): void {
  assert.deepEqual([page.status, headingOf(page)], [200, en.signOutTitle]);
}

const confirm = ({ browser }: Visit, page: Page) => browser.submit(page, { logout: "yes" });

/** Asserts that the sign-out ended at the provider, and not at the app. */
function assertEndedHere(page: Page): void {
  assert.deepEqual([page.status, page.url.origin], [200, ISSUER]);
  assert.equal(headingOf(page), en.signedOutTitle);
}

module(
  "oidcc-rp-initiated-logout-discovery-endpoint-verification",
  "names its endpoint",
  async (visit) => {
    const metadata = JSON.parse(
      (await visit.provider.send("/.well-known/openid-configuration")).body,
    );
    assert.equal(metadata.end_session_endpoint, `${ISSUER}/oidc/logout`);
  },
);

afterSignIn("oidcc-rp-initiated-logout", "returns to the app with its state", async (visit) => {
  const { app, hint, returnUri } = visit;
  const url = client.buildEndSessionUrl(app.client, {
    ...{ id_token_hint: hint, post_logout_redirect_uri: returnUri, state: "a &state" },
  });
  const page = await visit.browser.visit(url);
  assertAsks(page);
  await assertSignedIn(visit);
  const { url: back } = await confirm(visit, page);
  assert.equal(back.href, `${returnUri}?state=a+%26state`);
  await assertSignedOut(visit);
});

afterSignIn(
  "oidcc-rp-initiated-logout-no-state",
  "returns to the app without a state",
  async (visit) => {
    const { hint, returnUri } = visit;
    const page = await end(visit, { id_token_hint: hint, post_logout_redirect_uri: returnUri });
    assert.equal((await confirm(visit, page)).url.href, returnUri);
    await assertSignedOut(visit);
  },
);

afterSignIn(
  "oidcc-rp-initiated-logout-no-params",
  "signs out, and returns nowhere",
  async (visit) => {
    const page = await end(visit, {});
    assertAsks(page);
    assertEndedHere(await confirm(visit, page));
    await assertSignedOut(visit);
  },
);

afterSignIn(
  "oidcc-rp-initiated-logout-only-state",
  "signs out, and returns nowhere",
  async (visit) => {
    const page = await end(visit, { state: "a" });
    assertAsks(page);
    assertEndedHere(await confirm(visit, page));
    await assertSignedOut(visit);
  },
);

afterSignIn(
  "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
  "signs out, and returns nowhere",
  async (visit) => {
    const page = await end(visit, { id_token_hint: visit.hint, state: "a" });
    assertAsks(page);
    assertEndedHere(await confirm(visit, page));
    await assertSignedOut(visit);
  },
);

afterSignIn(
  "oidcc-rp-initiated-logout-no-id-token-hint",
  "asks before it ends anything, and returns to no URI that an app has not registered",
  async (visit) => {
    const { returnUri } = visit;
    assertAsks(await end(visit, { post_logout_redirect_uri: returnUri, state: "a" }));
    await assertSignedIn(visit);
    const evil = { post_logout_redirect_uri: `${returnUri}?foo=bar`, state: "a" };
    const page = await end(visit, evil);
    assertAsks(page);
    assertEndedHere(await confirm(visit, page));
    await assertSignedOut(visit);
  },
);

/** Requests that end nothing and return nowhere. */
const BAD: readonly (readonly [
  name: string,
  behaviour: string,
  change: (visit: LogoutVisit) => Promise<Readonly<Record<string, string>>>,
])[] = [
  [
    "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
    "refuses a URI that is not registered",
    async () => ({ post_logout_redirect_uri: "https://evil.example/signed-out" }),
  ],
  [
    "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
    "refuses a registered URI with another query",
    async ({ returnUri }) => ({ post_logout_redirect_uri: `${returnUri}?foo=bar` }),
  ],
  [
    "oidcc-rp-initiated-logout-modified-id-token-hint",
    "refuses an ID token whose signature was removed",
    async ({ hint }) => {
      const header = Buffer.from('{"alg":"none"}').toString("base64url");
      return { id_token_hint: `${header}.${hint.split(".")[1]}.` };
    },
  ],
  [
    "oidcc-rp-initiated-logout-bad-id-token-hint",
    "refuses an ID token that another key has signed",
    async ({ signedIn: { claims } }) => {
      const { privateKey } = await generateKeyPair("RS256");
      const { nonce: _, ...others } = claims;
      const token = new SignJWT(others as never).setProtectedHeader({ alg: "RS256" });
      return { id_token_hint: await token.sign(privateKey) };
    },
  ],
];

for (const [name, behaviour, change] of BAD) {
  afterSignIn(name, behaviour, async (visit) => {
    const { hint, returnUri } = visit;
    const page = await end(visit, {
      ...{ id_token_hint: hint, post_logout_redirect_uri: returnUri, state: "a" },
      ...(await change(visit)),
    });
    assert.deepEqual([page.status, page.trail.length, page.url.origin], [400, 1, ISSUER]);
    assert.ok(!String(page.headers["content-security-policy"]).includes("evil.example"));
    await assertSignedIn(visit);
  });
}

afterSignIn("no module: an expired hint", "still identifies the app", async (visit) => {
  const { hint, returnUri, browser } = visit;
  advanceTime(2 * 3_600_000);
  const form = { id_token_hint: hint, post_logout_redirect_uri: returnUri };
  // The request may also come as a form of the app, without the session cookie.
  const page = await browser.visit("/oidc/logout", { form });
  assertAsks(page);
  assert.ok(page.html.includes("App "));
  assert.equal((await confirm(visit, page)).url.href, returnUri);
  await assertSignedOut(visit);
});

afterSignIn(
  "no module: a sign-out that the person declines",
  "ends the app only",
  async (visit) => {
    const { browser, provider, person, app, signedIn, returnUri, hint } = visit;
    const other = await provider.addApp();
    const { tokens } = await signIn(browser, other, person);
    const page = await end(visit, { id_token_hint: hint, post_logout_redirect_uri: returnUri });
    assert.equal((await browser.submit(page)).url.href, returnUri);
    const { access_token: access } = signedIn.tokens;
    await assert.rejects(client.fetchUserInfo(app.client, access, person.id), { status: 401 });
    await client.fetchUserInfo(other.client, tokens.access_token, person.id);
    await assertSignedIn(visit);
  },
);

afterSignIn("no module: a forged confirmation", "ends nothing", async (visit) => {
  const { browser } = visit;
  const path = "/oidc/logout/confirm";
  const early = await browser.visit(path, { form: { logout: "yes" } });
  await end(visit, {});
  for (const xsrf of ["", "a", "undefined"]) {
    const page = await browser.visit(path, { form: { logout: "yes", xsrf } });
    assert.equal(page.status, 400, xsrf);
  }
  assert.equal(early.status, 400);
  await assertSignedIn(visit);
});

module("no module: a sign-out of nobody", "returns to the app at once", async (visit) => {
  const { app, browser } = visit;
  const returnUri = app.redirectUri.replace("callback", "signed-out");
  let page = await end(visit, { client_id: app.id, post_logout_redirect_uri: returnUri });
  if (page.status === 200) page = await browser.submit(page);
  assert.equal(page.url.href, returnUri);
});
