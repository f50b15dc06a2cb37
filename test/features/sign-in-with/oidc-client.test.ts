import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createOidcClient } from "../../../src/features/sign-in-with/oidc-client.ts";
import type { ProviderChecks, ProviderIdentity } from "../../../src/identity/providers.ts";
import { type OidcProviderOptions, oidc } from "../../../src/providers.ts";
import { type Behaviour, startProvider } from "./provider.ts";

const CHECKS: ProviderChecks = {
  ...{ redirectUri: "https://home.example.org/login/with/company/callback" },
  ...{ state: "the state", nonce: "the nonce", verifier: "v".repeat(64), prompt: "usual" },
};

interface Scene {
  readonly issuer: string;
  readonly asked: ReadonlyMap<string, number>;
  behave(behaviour: Behaviour): void;
  /** Comes back from the provider with these parameters. */
  finish(query?: Readonly<Record<string, string>>, checks?: object): Promise<ProviderIdentity>;
  advance(ms: number): void;
}

async function start(t: TestContext, options: Partial<OidcProviderOptions> = {}): Promise<Scene> {
  const provider = await startProvider(t);
  const { issuer } = provider;
  const settings = { name: "company", clientId: "latchkey", clientSecret: "the client secret" };
  let now = 0;
  const clock = { monotonic: () => now };
  const client = createOidcClient(
    oidc({ groupsClaim: "groups", issuer, ...settings, ...options }),
    clock,
  );
  await fetch(`${issuer}/nonce?nonce=${encodeURIComponent(CHECKS.nonce)}`);
  return {
    ...provider,
    async finish(query = {}, checks = {}) {
      const url = new URL(CHECKS.redirectUri);
      const all = { code: "code", state: CHECKS.state, iss: issuer, ...query };
      url.search = new URLSearchParams(all).toString();
      return client.finish(url, { ...CHECKS, ...checks });
    },
    advance(ms) {
      now += ms;
    },
  };
}

test("reads who has come back, from the ID token and from userinfo", async (t) => {
  const { issuer, finish, behave } = await start(t);
  behave({ claims: { preferred_username: "ada", name: "Ada", amr: ["pwd", "otp"] } });
  assert.deepEqual(await finish(), {
    ...{ issuer, subject: "7", username: "ada", name: "Ada", email: "ada@example.org" },
    ...{ emailIs: "verified", groups: ["engineering"], factors: 2 },
  });
  behave({ claims: { email_verified: false, name: 5 }, userInfo: { groups: "one" } });
  const other = await finish();
  assert.deepEqual(
    [other.emailIs, other.name, other.groups, other.factors],
    ["unverified", undefined, ["one"], 1],
  );
});

test("refuses every answer that is not exactly the right one", async (t) => {
  const { issuer, finish, behave } = await start(t);
  const now = Math.floor(Date.now() / 1_000);
  const wrong: Readonly<Record<string, Behaviour>> = {
    "another issuer": { claims: { iss: `${issuer}/other` } },
    "another audience": { claims: { aud: "somebody else" } },
    "several audiences for another party": { claims: { aud: ["latchkey", "b"], azp: "b" } },
    "another nonce": { claims: { nonce: "other" } },
    "no nonce": { without: ["nonce"] },
    "no subject": { without: ["sub"] },
    "an empty subject": { claims: { sub: "" } },
    "no end": { without: ["exp"] },
    expired: { claims: { exp: now - 3_600, iat: now - 7_200 } },
    "from the future": { claims: { iat: now + 3_600, nbf: now + 3_600, exp: now + 7_200 } },
    "no signature": { header: { alg: "none" } },
    "signed with the client secret": { header: { alg: "HS256" } },
    "signed with an unknown key": { key: "other" },
    "signed with a key of an unknown name": { header: { alg: "RS256", kid: "9" }, key: "other" },
    "another subject in userinfo": { userInfo: { sub: "8" } },
    "a token endpoint that redirects": {
      answer: {
        "/token": (_, response) => {
          response.writeHead(307, { Location: `${issuer}/elsewhere` });
          response.end();
        },
      },
    },
    "an answer without an end": {
      answer: {
        "/token": (_, response) => {
          response.writeHead(200, { "Content-Type": "application/json" });
          response.write("{");
          const write = (): void => {
            if (response.writableEnded || response.destroyed) return;
            response.write(" ".repeat(65_536), () => setImmediate(write));
          };
          write();
        },
      },
    },
    "an answer that is no JSON": {
      answer: { "/token": (_, response) => response.end("<html>") },
    },
    "a connection that is dropped": {
      answer: { "/token": (request) => request.socket.destroy() },
    },
    "a refusal": {
      answer: {
        "/token": (_, response) => {
          response.writeHead(400, { "Content-Type": "application/json" });
          response.end(JSON.stringify({ error: "invalid_grant" }));
        },
      },
    },
  };
  for (const [what, behaviour] of Object.entries(wrong)) {
    behave(behaviour);
    await assert.rejects(finish(), Error, what);
  }
  behave({});
  const parameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "another state": { state: "other" },
    "the answer of another provider": { iss: "https://other.example.org" },
    "an error": { error: "access_denied", code: "" },
  };
  for (const [what, query] of Object.entries(parameters)) {
    await assert.rejects(finish(query), Error, what);
  }
  assert.equal((await finish()).subject, "7", "the right answer still counts");
});

test("a discovery document of another issuer is refused, and read again later", async (t) => {
  const { issuer, finish, behave, asked } = await start(t);
  behave({ metadata: { issuer: "https://other.example.org" } });
  await assert.rejects(finish(), Error);
  behave({});
  assert.equal((await finish()).issuer, issuer);
  assert.equal(asked.get("/.well-known/openid-configuration"), 2);
});

test("learns a new key after an hour at the latest", async (t) => {
  const { finish, behave, advance } = await start(t);
  assert.equal((await finish()).subject, "7");
  behave({ key: "new" });
  advance(3_600_000);
  assert.equal((await finish()).subject, "7");
});

test("a confirmation counts only if the person has signed in there just now", async (t) => {
  const { finish, behave } = await start(t);
  const again = { prompt: "again" };
  await assert.rejects(finish({}, again), Error, "the provider does not say when");
  const now = Math.floor(Date.now() / 1_000);
  behave({ claims: { auth_time: now - 3_600 } });
  await assert.rejects(finish({}, again), Error, "an old sign-in");
  behave({ claims: { auth_time: now } });
  assert.equal((await finish({}, again)).subject, "7");
});
