import assert from "node:assert/strict";
import * as client from "openid-client";
import { type Browser, headingOf, type Page } from "./browser.ts";
import type { App, Person } from "./provider.ts";

/** Parameters of a request; `undefined` leaves one out that an honest client sends. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/** A request for a sign-in, and what its client must remember to check the response. */
export interface Started {
  readonly url: URL;
  readonly checks: client.AuthorizationCodeGrantChecks;
}

/** Starts a sign-in as an honest client does: with PKCE, state and nonce. */
export async function startSignIn(app: App, parameters: Parameters = {}): Promise<Started> {
  const verifier = client.randomPKCECodeVerifier();
  const all: Record<string, string | undefined> = {
    redirect_uri: app.redirectUri,
    scope: "openid",
    state: client.randomState(),
    nonce: client.randomNonce(),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...parameters,
  };
  const url = client.buildAuthorizationUrl(app.client, toSearch(all));
  if ("response_type" in parameters && parameters.response_type === undefined)
    url.searchParams.delete("response_type");
  const { state, nonce } = all;
  return {
    url,
    checks: {
      ...(all.code_challenge !== undefined && { pkceCodeVerifier: verifier }),
      ...(state !== undefined && { expectedState: state }),
      ...(nonce !== undefined && { expectedNonce: nonce }),
      ...(all.max_age !== undefined && { maxAge: Number(all.max_age) }),
      idTokenExpected: true,
    },
  };
}

const toSearch = (parameters: Parameters): URLSearchParams =>
  new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

export const isLoginPage = ({ url, status }: Page): boolean =>
  url.pathname === "/login" && status === 200;

/** Signs in on the sign-in page. */
export const enterPassword = (
  browser: Browser,
  page: Page,
  { username, password }: Person,
  fields: Readonly<Record<string, string>> = {},
): Promise<Page> => browser.submit(page, { username, password, ...fields });

/** Answers each page as a person who wants to sign in does, until an app has the browser. */
export async function walk(browser: Browser, first: Page, person: Person): Promise<Page> {
  let page = first;
  for (let steps = 0; page.status !== 0; steps += 1) {
    assert.equal(page.status, 200, `${headingOf(page)} at ${page.url}`);
    assert.ok(steps < 4, `pages in a circle: ${page.url}`);
    page = isLoginPage(page)
      ? await enterPassword(browser, page, person)
      : await browser.submit(page, { answer: "yes" });
  }
  return page;
}

/** An app at the end of a sign-in. */
export interface SignedIn {
  readonly tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;
  readonly claims: client.IDToken;
  /** The URL at the app to which the browser returned. */
  readonly callback: URL;
  readonly checks: client.AuthorizationCodeGrantChecks;
  /** The page that the person saw first, or the callback if there was none. */
  readonly first: Page;
}

/** Signs a person in to an app, from its request to its tokens. The client checks everything. */
export async function signIn(
  browser: Browser,
  app: App,
  person: Person,
  parameters: Parameters = {},
): Promise<SignedIn> {
  const { url, checks } = await startSignIn(app, parameters);
  const first = await browser.visit(url);
  const { url: callback } = await walk(browser, first, person);
  return { ...(await redeem(app, callback, checks)), callback, checks, first };
}

/** Gets tokens for the code in a callback, and checks them as an honest client does. */
export async function redeem(
  app: App,
  callback: URL,
  checks: client.AuthorizationCodeGrantChecks,
): Promise<Pick<SignedIn, "tokens" | "claims">> {
  const tokens = await client.authorizationCodeGrant(app.client, callback, checks);
  const claims = tokens.claims();
  assert.ok(claims !== undefined, "an ID token");
  return { tokens, claims };
}

/** The error that an app gets in a callback, after its state is checked. */
export function errorIn(page: Page, { checks }: Started): string | null {
  assert.equal(page.status, 0, `${headingOf(page)} at ${page.url}`);
  const { searchParams } = page.url;
  assert.equal(searchParams.get("state"), checks.expectedState);
  assert.equal(searchParams.get("code"), null);
  return searchParams.get("error");
}
