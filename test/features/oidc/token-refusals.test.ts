/** What the provider remembers of requests for tokens that it has refused. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AppFields } from "../../../src/features/apps/app-fields.ts";
import { type CodeUse, findCodeUse } from "../../../src/features/oidc/token-refusals.ts";
import { type Either, stores } from "../../db/either.ts";
import { type RunningProvider, startProvider } from "../../oidc/provider.ts";
import { startSignIn, walk } from "../../oidc/sign-in.ts";

type OpenDatabase = (t: TestContext) => Promise<() => Promise<Either>>;

type Form = Readonly<Record<string, string | undefined>>;

interface Begun {
  readonly code: string;
  readonly use: () => Promise<CodeUse>;
  /** Sends a request for tokens as the app does, but with these fields. */
  readonly redeem: (changes?: Form, authorization?: string) => Promise<number>;
}

const startOn = async (t: TestContext, openDatabase: OpenDatabase): Promise<RunningProvider> =>
  startProvider(t, await (await openDatabase(t))());

/** Signs a person in to an app until the app has a code. */
async function getCode(provider: RunningProvider, fields: AppFields = {}): Promise<Begun> {
  const { store } = provider;
  const person = await provider.addPerson();
  const app = await provider.addApp(fields);
  const browser = provider.openBrowser();
  const { url, checks } = await startSignIn(app);
  const page = await walk(browser, await browser.visit(url), person);
  const code = page.url.searchParams.get("code") ?? "";
  assert.notEqual(code, "");
  const honest: Form = {
    ...{ grant_type: "authorization_code", code, redirect_uri: app.redirectUri },
    ...{ client_id: app.id, client_secret: app.secret || undefined },
    code_verifier: String(checks.pkceCodeVerifier),
  };
  return {
    code,
    use: () => findCodeUse(store, code),
    async redeem(changes = {}, authorization) {
      const sent = Object.entries({ ...honest, ...changes }).filter(
        (field): field is [string, string] => field[1] !== undefined,
      );
      const { status } = await provider.send("/oidc/token", {
        form: Object.fromEntries(sent),
        headers: authorization === undefined ? {} : { Authorization: authorization },
      });
      return status;
    },
  };
}

const refusals: readonly (readonly [string, Form, (string | undefined)?, AppFields?])[] = [
  ["secret-wrong", { client_secret: "a guess" }],
  ["secret-missing", { client_secret: undefined }],
  ["secret-unexpected", { client_secret: "needless" }, undefined, { clientType: "public" }],
  ["client-unknown", { client_id: "nobody" }],
  ["authentication-malformed", { client_secret: undefined }, "Basic !"],
  ["authentication-malformed", {}, "Basic cGhvdG9zOng="],
  ["pkce", { code_verifier: "v".repeat(43) }],
  ["pkce", { code_verifier: undefined }],
  ["pkce", { code_verifier: "short" }],
  ["redirect-other", { redirect_uri: "https://other.example.org/" }],
  ["other", { grant_type: "none" }],
];

for (const [kind, openDatabase] of Object.entries(stores)) {
  test(`${kind}: notes why an app got no tokens for a code, and what became of it`, async (t) => {
    const provider = await startOn(t, openDatabase);
    for (const [reason, changes, authorization, fields] of refusals) {
      const { use, redeem } = await getCode(provider, fields);
      assert.deepEqual(await use(), { kind: "unused" });
      const status = await redeem(changes, authorization);
      assert.ok(status === 400 || status === 401, `${reason}: ${status}`);
      const found = await use();
      assert.equal(found.kind === "refused" && found.refusal.reason, reason, JSON.stringify(found));
      assert.doesNotMatch(JSON.stringify(found), /needless|a guess|nobody|vvvv/);
    }
  });

  test(`${kind}: knows a code that was redeemed, also after an earlier refusal`, async (t) => {
    const { use, redeem } = await getCode(await startOn(t, openDatabase));
    assert.equal(await redeem({ client_secret: "a guess" }), 401);
    assert.equal(await redeem(), 200);
    assert.deepEqual(await use(), { kind: "redeemed" });
    assert.equal(await redeem(), 400);
    const found = await use();
    assert.equal(found.kind === "refused" && found.refusal.reason, "code-used");
  });

  test(`${kind}: notes that a code was used twice at once`, async (t) => {
    const { use, redeem } = await getCode(await startOn(t, openDatabase));
    const statuses = await Promise.all([redeem(), redeem(), redeem()]);
    assert.ok(statuses.filter((status) => status === 200).length <= 1);
    const found = await use();
    assert.equal(found.kind === "refused" && found.refusal.reason, "code-used");
  });

  test(`${kind}: notes nothing about a code that it has not issued`, async (t) => {
    const provider = await startOn(t, openDatabase);
    const { code } = await getCode(provider);
    for (const text of ["made up", "x".repeat(5_000), "", "\0", code.slice(1)]) {
      const form = { grant_type: "authorization_code", code: text, client_id: "nobody" };
      const { status } = await provider.send("/oidc/token", { form });
      assert.ok(status === 400 || status === 401);
      assert.deepEqual(await findCodeUse(provider.store, text), { kind: "unknown" });
    }
    assert.deepEqual(provider.log, []);
  });
}
