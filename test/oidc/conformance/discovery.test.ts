import assert from "node:assert/strict";
import { ISSUER } from "../provider.ts";
import { errorIn, signIn, startSignIn } from "../sign-in.ts";
import { module } from "./module.ts";

const DISCOVERY = "/.well-known/openid-configuration";
type Json = Readonly<Record<string, unknown>>;
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);

module("oidcc-discovery-endpoint-verification", "describes the provider", async ({ provider }) => {
  const { status, headers, body } = await provider.send(DISCOVERY);
  assert.equal(status, 200);
  assert.match(String(headers["content-type"]), /^application\/json/);
  const metadata: Json = JSON.parse(body);
  assert.equal(metadata.issuer, ISSUER);
  for (const [name, value] of Object.entries(metadata)) {
    if (!/_endpoint$|_uri$/.test(name)) continue;
    const { origin, protocol, pathname, search, hash } = new URL(String(value));
    assert.deepEqual([origin, protocol, search + hash], [ISSUER, "https:", ""], name);
    assert.match(pathname, /^\/oidc\//, name);
  }
  const expected: Json = {
    authorization_endpoint: `${ISSUER}/oidc/authorize`,
    token_endpoint: `${ISSUER}/oidc/token`,
    userinfo_endpoint: `${ISSUER}/oidc/userinfo`,
    jwks_uri: `${ISSUER}/oidc/keys`,
    scopes_supported: ["email", "groups", "offline_access", "openid", "profile"],
    response_types_supported: ["code"],
    response_modes_supported: ["form_post", "fragment", "query"],
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      "urn:ietf:params:oauth:grant-type:device_code",
    ],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256", "RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    claim_types_supported: ["normal"],
    claims_parameter_supported: true,
    request_uri_parameter_supported: false,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
  for (const [name, value] of Object.entries(expected))
    assert.deepEqual(sorted(metadata[name]), value, name);
  // Absent means false, unlike `request_uri_parameter_supported`.
  assert.ok(!metadata.request_parameter_supported);
  for (const claim of ["sub", "iss", "auth_time", "acr", "name", "preferred_username", "groups"])
    assert.ok((metadata.claims_supported as string[]).includes(claim), claim);

  const again = await provider.send("/.well-known/oauth-authorization-server");
  assert.deepEqual(JSON.parse(again.body), metadata);
  const foreign = await provider.send(DISCOVERY, { headers: { Host: "evil.example" } });
  assert.equal(JSON.parse(foreign.body).issuer, ISSUER, "whatever the request says");
});

module("oidcc-discovery-endpoint-verification", "publishes public keys only", async (visit) => {
  const { headers, body } = await visit.provider.send("/oidc/keys");
  assert.match(String(headers["content-type"]), /^application\/(jwk-set\+)?json/);
  const { keys } = JSON.parse(body) as { readonly keys: readonly Json[] };
  assert.deepEqual(keys.map(({ alg }) => alg).sort(), ["ES256", "EdDSA", "RS256"]);
  const names = new Set(keys.flatMap((key) => Object.keys(key)));
  assert.deepEqual([...names].sort(), ["alg", "crv", "e", "kid", "kty", "n", "use", "x", "y"]);
  assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length);
  for (const { use } of keys) assert.equal(use, "sig");
});

/** What the provider does not offer must not be in its metadata. */
const OFF =
  /registration|request_object|dpop|backchannel_(auth|token|user)|check_session|frontchannel|encryption|tls_client|mtls|resource|authorization_signing|userinfo_signing|introspection_signing|authorization_details|require_|claims_locales/;

module("no module: discovery", "names nothing that is off", async ({ provider }) => {
  const metadata: Json = JSON.parse((await provider.send(DISCOVERY)).body);
  const offered = Object.keys(metadata).filter((name) => OFF.test(name));
  assert.deepEqual(offered, []);
  assert.doesNotMatch(
    JSON.stringify(metadata),
    /"(implicit|id_token|token|password|plain|HS256|PS256|ES384|EdDSA|pairwise|jwt)"|client_secret_jwt|private_key_jwt|client_credentials|ciba|jwt-bearer|token-exchange/,
  );
});

const TYPES = [
  ...["id_token", "token", "id_token token", "code id_token", "code token"],
  ...["code id_token token", "none"],
];

module("no module: implicit, hybrid and none", "are unsupported response types", async (visit) => {
  const { browser, app } = visit;
  for (const response_type of TYPES) {
    const started = await startSignIn(app, { response_type });
    const page = await browser.visit(started.url);
    const { hash, search } = page.url;
    assert.equal(page.status, 0, response_type);
    const found = new URLSearchParams(search || hash.slice(1));
    assert.equal(found.get("error"), "unsupported_response_type", response_type);
    assert.equal(found.get("state"), started.checks.expectedState);
    assert.ok(!found.has("id_token") && !found.has("access_token") && !found.has("code"));
  }
});

const REFUSED = [
  ["PKCE with plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["PKCE without a method", { code_challenge_method: undefined }, "invalid_request"],
  ["PKCE with S512", { code_challenge_method: "S512" }, "invalid_request"],
  ["a signed response", { response_mode: "jwt" }, "unsupported_response_mode"],
  ["a web message", { response_mode: "web_message" }, "unsupported_response_mode"],
  ["registration", { registration: "{}" }, "registration_not_supported"],
  ["a prompt that is not known", { prompt: "create" }, "invalid_request"],
] as const;

for (const [what, parameters, error] of REFUSED) {
  module(`no module: ${what}`, `is refused with ${error}`, async ({ browser, app }) => {
    const started = await startSignIn(app, parameters);
    assert.equal(errorIn(await browser.visit(started.url), started), error);
  });
}

module("no module: paths that are off", "do not exist", async ({ provider }) => {
  const form = { redirect_uris: "https://app.example.org/callback" };
  for (const name of ["reg", "register", "registration", "backchannel", "ciba", "session/check"]) {
    assert.equal((await provider.send(`/oidc/${name}`, { form })).status, 404, name);
    assert.equal((await provider.send(`/oidc/${name}`)).status, 404, name);
  }
});

const GRANTS = [
  ...["password", "client_credentials", "implicit", "urn:openid:params:grant-type:ciba"],
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:token-exchange",
];

module(
  "no module: other grants",
  "are unsupported grant types",
  async ({ provider, app, person }) => {
    const client = { client_id: app.id, client_secret: app.secret };
    for (const grant_type of GRANTS) {
      const form = { ...client, grant_type, username: person.username, password: person.password };
      const { status, body } = await provider.send("/oidc/token", { form });
      assert.deepEqual(
        [status, JSON.parse(body).error],
        [400, "unsupported_grant_type"],
        grant_type,
      );
    }
  },
);

module("no module: signed client assertions", "are no way to authenticate", async (visit) => {
  const { provider, app } = visit;
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString("base64url");
  const claims = { iss: app.id, sub: app.id, aud: ISSUER, exp: Date.now() / 1_000 + 60, jti: "1" };
  for (const alg of ["none", "HS256", "RS256"]) {
    const { status, body } = await provider.send("/oidc/token", {
      form: {
        ...{ grant_type: "authorization_code", code: "any", redirect_uri: app.redirectUri },
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: `${part({ alg })}.${part(claims)}.${alg === "none" ? "" : "AAAA"}`,
      },
    });
    assert.deepEqual([status, JSON.parse(body).error], [400, "invalid_request"], alg);
  }
});

module("no module: DPoP", "is ignored: the token stays a bearer token", async (visit) => {
  const { browser, app, person, provider } = visit;
  const { tokens } = await signIn(browser, app, person, { dpop_jkt: "A".repeat(43) });
  assert.equal(tokens.token_type, "bearer");
  const { status } = await provider.send("/oidc/userinfo", {
    headers: { Authorization: `DPoP ${tokens.access_token}`, DPoP: "a.b.c" },
  });
  assert.ok(status === 400 || status === 401, `${status}`);
});
