import assert from "node:assert/strict";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { ISSUER } from "../provider.ts";
import { errorIn, isLoginPage, redeem, signIn, startSignIn, walk } from "../sign-in.ts";
import { module } from "./module.ts";

module("oidcc-server", "returns a code, and valid tokens for it", async (visit) => {
  const { browser, app, person } = visit;
  const { claims, tokens, callback, first } = await signIn(browser, app, person);
  assert.ok(isLoginPage(first));
  assert.deepEqual([...callback.searchParams.keys()], ["code", "state", "iss"]);
  assert.equal(callback.searchParams.get("iss"), ISSUER);
  assert.equal(callback.hash, "");
  assert.deepEqual(
    [claims.iss, claims.sub, claims.aud, typeof claims.nonce],
    [ISSUER, person.id, app.id, "string"],
  );
  assert.ok(claims.exp > claims.iat && claims.sub.length <= 255);
  assert.deepEqual([tokens.token_type, tokens.scope], ["bearer", "openid"]);
  assert.ok(Number(tokens.expires_in) > 0);
});

module(
  "oidcc-server-client-secret-post",
  "takes the secret of an app in the body",
  async (visit) => {
    const { provider, browser, app, person } = visit;
    const config = new client.Configuration(
      app.client.serverMetadata(),
      app.id,
      undefined,
      client.ClientSecretPost(app.secret),
    );
    config[client.customFetch] = provider.fetch;
    const { claims } = await signIn(browser, { ...app, client: config }, person);
    assert.equal(claims.sub, person.id);

    const { status, body } = await provider.send("/oidc/token", {
      form: {
        ...{ client_id: app.id, client_secret: `${app.secret}x` },
        ...{ grant_type: "authorization_code", code: "any", redirect_uri: app.redirectUri },
      },
    });
    assert.deepEqual([status, JSON.parse(body).error], [401, "invalid_client"]);
  },
);

module("oidcc-response-type-missing", "returns invalid_request to the app", async (visit) => {
  const started = await startSignIn(visit.app, { response_type: undefined });
  assert.equal(errorIn(await visit.browser.visit(started.url), started), "invalid_request");
});

module("oidcc-idtoken-signature", "signs with RS256, by a key of the key set", async (visit) => {
  const { provider, browser, app, person } = visit;
  const { tokens } = await signIn(browser, app, person);
  const token = tokens.id_token ?? "";
  const set: JSONWebKeySet = JSON.parse((await provider.send("/oidc/keys")).body);
  const { alg, kid } = decodeProtectedHeader(token);
  assert.equal(alg, "RS256");
  assert.equal(set.keys.filter((key) => key.kid === kid && key.alg === alg).length, 1);
  const expected = { issuer: ISSUER, audience: app.id, currentDate: new Date(Date.now()) };
  await jwtVerify(token, createLocalJWKSet(set), expected);
});

module(
  "oidcc-idtoken-unsigned",
  "cannot be had: no app may ask for unsigned ID tokens",
  async (visit) => {
    const { provider, app } = visit;
    const metadata = app.client.serverMetadata();
    assert.deepEqual(metadata.id_token_signing_alg_values_supported?.toSorted(), [
      "ES256",
      "RS256",
    ]);
    const redirects = ["https://unsigned.example.org/callback"];
    const added = provider.auth.apps.add({
      ...{ name: "Unsigned", redirects, signing: "none" as "RS256" },
    });
    await assert.rejects(added, { code: "invalid_option" });
  },
);

module(
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
  "needs no nonce, and makes none up",
  async ({ browser, app, person }) => {
    const { claims } = await signIn(browser, app, person, { nonce: undefined });
    assert.equal(claims.nonce, undefined);
  },
);

module("oidcc-alternate-happy-flow", "takes scopes and parameters in any order", async (visit) => {
  const { browser, app, person } = visit;
  const { url, checks } = await startSignIn(app, { scope: "groups profile openid" });
  const reversed = new URLSearchParams([...url.searchParams].reverse());
  const page = await browser.visit(new URL(`?${reversed}`, url));
  const { url: callback } = await walk(browser, page, person);
  const { claims, tokens } = await redeem(app, callback, checks);
  assert.deepEqual(claims.groups, ["family"]);
  assert.deepEqual(new Set(tokens.scope?.split(" ")), new Set(["openid", "profile", "groups"]));
});

const HARMLESS = [
  ["oidcc-display-page", "shows its normal page", { display: "page" }],
  ["oidcc-display-popup", "shows the same page in a popup", { display: "popup" }],
  ["oidcc-ui-locales", "signs in with any ui_locales", { ui_locales: "se de" }],
  ["oidcc-claims-locales", "signs in with any claims_locales", { claims_locales: "se" }],
  [
    "oidcc-ensure-request-with-unknown-parameter-succeeds",
    "ignores a parameter that it does not know",
    { extra: "foobar" },
  ],
] as const;

for (const [name, behaviour, parameters] of HARMLESS) {
  module(name, behaviour, async ({ browser, app, person }) => {
    const { first, claims, callback } = await signIn(browser, app, person, parameters);
    assert.ok(isLoginPage(first));
    assert.equal(claims.sub, person.id);
    assert.deepEqual([...callback.searchParams.keys()], ["code", "state", "iss"]);
  });
}

module("oidcc-ensure-post-request-succeeds", "takes the request as a form", async (visit) => {
  const { browser, app, person } = visit;
  const { url, checks } = await startSignIn(app, { scope: "openid profile", state: "ä &=+%\"'" });
  const form = url.searchParams;
  const page = await browser.visit(new URL(url.pathname, url), { form });
  assert.ok(isLoginPage(page));
  const { url: callback } = await walk(browser, page, person);
  assert.equal((await redeem(app, callback, checks)).claims.sub, person.id);

  // Browsers send no session cookie with a form of another site: the session still counts.
  const again = await startSignIn(app, { prompt: "none" });
  const { searchParams } = again.url;
  const back = await browser.visit(new URL(url.pathname, url), { form: searchParams });
  assert.equal((await redeem(app, back.url, again.checks)).claims.sub, person.id);
});

module("oidcc-ensure-request-with-valid-pkce-succeeds", "checks the verifier", async (visit) => {
  const { provider, browser, app, person } = visit;
  await signIn(browser, app, person);
  for (const pkceCodeVerifier of [undefined, client.randomPKCECodeVerifier()]) {
    const { url, checks } = await startSignIn(app);
    const { url: callback } = await browser.visit(url);
    const { pkceCodeVerifier: _, ...others } = checks;
    const wrong = { ...others, ...(pkceCodeVerifier !== undefined && { pkceCodeVerifier }) };
    await assert.rejects(redeem(app, callback, wrong), { error: "invalid_grant" });
  }

  const open = await provider.addApp({ clientType: "public" });
  const started = await startSignIn(open, {
    ...{ code_challenge: undefined, code_challenge_method: undefined },
  });
  const page = await browser.visit(started.url);
  assert.equal(errorIn(page, started), "invalid_request", "a public client must use PKCE");
  assert.equal((await signIn(browser, open, person)).claims.sub, person.id);
});
