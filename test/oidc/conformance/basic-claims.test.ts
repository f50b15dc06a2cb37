import assert from "node:assert/strict";
import * as client from "openid-client";
import type { Answer } from "../../support/client.ts";
import { codeShown, turnCodesOn } from "../../support/one-time-codes.ts";
import {
  enterPassword,
  errorIn,
  isLoginPage,
  redeem,
  signIn,
  startSignIn,
  walk,
} from "../sign-in.ts";
import { advanceTime } from "../time.ts";
import { module, type Visit } from "./module.ts";

const USERINFO = "/oidc/userinfo";
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** How an app sends its access token to the userinfo endpoint, for each module. */
const WAYS: readonly (readonly [
  name: string,
  behaviour: string,
  ask: (provider: Visit["provider"], token: string) => Promise<Answer>,
])[] = [
  [
    "oidcc-userinfo-get",
    "returns the claims to a GET",
    (provider, token) => provider.send(USERINFO, { headers: bearer(token) }),
  ],
  [
    "oidcc-userinfo-post-header",
    "returns them to a POST with the token in its header",
    (provider, token) => provider.send(USERINFO, { method: "POST", headers: bearer(token) }),
  ],
  [
    "oidcc-userinfo-post-body",
    "returns them to a POST with the token in its body",
    (provider, token) => provider.send(USERINFO, { form: { access_token: token } }),
  ],
];

for (const [name, behaviour, ask] of WAYS) {
  module(name, behaviour, async ({ provider, browser, app, person }) => {
    const { tokens } = await signIn(browser, app, person, { scope: "openid profile" });
    const { status, headers, body } = await ask(provider, tokens.access_token);
    assert.equal(status, 200);
    assert.match(String(headers["content-type"]), /^application\/json/);
    const { sub, preferred_username: username } = JSON.parse(body);
    assert.deepEqual([sub, username], [person.id, person.username]);

    const refused = await ask(provider, `${tokens.access_token}x`);
    assert.equal(refused.status, 401);
    assert.match(String(refused.headers["www-authenticate"]), /^Bearer .*error="invalid_token"/);
  });
}

/** Signs in with these scopes, and returns the claims of both places without the standard ones. */
async function readClaims({ browser, app, person }: Visit, scope: string) {
  const { claims, tokens } = await signIn(browser, app, person, { scope });
  const info = await client.fetchUserInfo(app.client, tokens.access_token, person.id);
  const { iss, sub, aud, exp, iat, nonce, auth_time, acr, amr, ...others } = claims;
  const { sub: _, ...told } = info;
  assert.deepEqual(others, told, "many apps read only the ID token");
  return { told, granted: tokens.scope };
}

module("oidcc-scope-profile", "returns username and name for profile", async (visit) => {
  const { username } = visit.person;
  const { told } = await readClaims(visit, "openid profile");
  assert.deepEqual(told, { preferred_username: username, name: username });
});

module("oidcc-scope-email", "returns no address that the account does not have", async (visit) => {
  const { told, granted } = await readClaims(visit, "openid email");
  assert.deepEqual([told, granted], [{}, "openid email"]);
});

for (const name of ["oidcc-scope-address", "oidcc-scope-phone"]) {
  module(name, "signs in without this scope, which is not known", async (visit) => {
    const { told, granted } = await readClaims(visit, `openid ${name.split("-").at(-1)}`);
    assert.deepEqual([told, granted], [{}, "openid"]);
  });
}

module("oidcc-scope-all", "returns what the account has for all scopes together", async (visit) => {
  const { username } = visit.person;
  const { told, granted } = await readClaims(visit, "openid profile email address phone groups");
  const expected = { preferred_username: username, name: username, groups: ["family"] };
  assert.deepEqual([told, granted], [expected, "openid profile email groups"]);
});

module(
  "oidcc-claims-essential",
  "returns the claims that the app asks for by name",
  async (visit) => {
    const { browser, app, person } = visit;
    const claims = JSON.stringify({
      userinfo: { name: { essential: true }, unknown: { essential: true } },
      id_token: { groups: null },
    });
    const { tokens, claims: idToken } = await signIn(browser, app, person, { claims });
    const info = await client.fetchUserInfo(app.client, tokens.access_token, person.id);
    assert.deepEqual(info, { sub: person.id, name: person.username });
    assert.deepEqual(idToken.groups, ["family"]);
    assert.equal(idToken.name, undefined);

    const { tokens: later } = await signIn(browser, app, person);
    const without = await client.fetchUserInfo(app.client, later.access_token, person.id);
    assert.deepEqual(without, { sub: person.id }, "only the sign-in that asked for it gets it");
  },
);

module(
  "oidcc-ensure-request-with-acr-values-succeeds",
  "says how the person signed in",
  async (visit) => {
    const { browser, app, person } = visit;
    const supported = app.client.serverMetadata().acr_values_supported ?? [];
    assert.equal(supported.length, 2);
    for (const acr_values of [supported.join(" "), supported.toReversed().join(" "), "1 2"]) {
      const { claims } = await signIn(browser, app, person, { acr_values });
      // The account has no second factor, and a preference is no requirement.
      assert.deepEqual([claims.acr, claims.amr], [supported[0], ["pwd"]]);
      await signIn(browser, app, person, { acr_values, prompt: "none" });
    }
  },
);

const ACR = "oidcc-ensure-request-with-acr-values-succeeds";
const [ONE, TWO] = ["urn:latchkey:factor:1", "urn:latchkey:factor:2"];
const essential = (acr: object) =>
  JSON.stringify({ id_token: { acr: { essential: true, ...acr } } });

module(ACR, "asks for the second factor of an account that has one", async (visit) => {
  const { provider, app, person } = visit;
  const [phone, ...others] = Array.from({ length: 3 }, () => provider.openBrowser());
  assert.ok(phone);
  for (const browser of [phone, ...others])
    assert.equal((await signIn(browser, app, person)).claims.acr, ONE);
  const { key } = await turnCodesOn(provider, String(phone.cookie("session")));
  // Within the same second, the sign-in counts as the one that the app asks for.
  advanceTime(2_000);

  const requests = [{ acr_values: TWO }, { claims: essential({ value: TWO }) }];
  for (const [index, browser] of others.entries()) {
    const { url, checks } = await startSignIn(app, requests[index]);
    const page = await browser.visit(url);
    assert.ok(isLoginPage(page) && page.url.searchParams.has("factor"), page.url.href);
    const code = codeShown(key, 1);
    const { url: callback } = await enterPassword(browser, page, person, { code });
    const { claims } = await redeem(app, callback, checks);
    assert.deepEqual([claims.acr, claims.amr, claims.sub], [TWO, ["mfa"], person.id]);
    advanceTime(30_000);
  }
});

module(ACR, "returns an error if an essential acr is not possible", async (visit) => {
  const { browser, app, person } = visit;
  for (const acr of [
    { value: TWO },
    { values: [TWO] },
    { values: ["urn:other"] },
    { values: [] },
    { value: TWO, values: [ONE] },
  ]) {
    const started = await startSignIn(app, { claims: essential(acr) });
    const page = await walk(browser, await browser.visit(started.url), person);
    assert.equal(errorIn(page, started), "unmet_authentication_requirements", JSON.stringify(acr));
  }
  const claims = essential({ values: [TWO, ONE] });
  assert.equal((await signIn(browser, app, person, { claims })).claims.acr, ONE);
});
