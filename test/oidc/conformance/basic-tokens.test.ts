import assert from "node:assert/strict";
import * as client from "openid-client";
import { type App, ISSUER } from "../provider.ts";
import { redeem, type SignedIn, signIn, startSignIn, walk } from "../sign-in.ts";
import { advanceTime } from "../time.ts";
import { module } from "./module.ts";

/** Asserts that the tokens of a sign-in do not work any more. */
async function assertRevoked({ client: config }: App, { tokens, claims }: SignedIn): Promise<void> {
  const { access_token: access, refresh_token: refresh = "" } = tokens;
  await assert.rejects(client.fetchUserInfo(config, access, claims.sub), { status: 401 });
  await assert.rejects(client.refreshTokenGrant(config, refresh), { error: "invalid_grant" });
  assert.deepEqual(await client.tokenIntrospection(config, access), { active: false });
}

const WAITS = [
  ["oidcc-codereuse", "at once", 0],
  ["oidcc-codereuse-30seconds", "after 30 seconds", 30_000],
  ["oidcc-codereuse-30seconds", "after the code has expired", 61_000],
] as const;

for (const [name, when, wait] of WAITS) {
  module(name, `a second use ${when} is refused, and ends all tokens`, async (visit) => {
    const { browser, app, person } = visit;
    const signedIn = await signIn(browser, app, person);
    const { tokens, callback, checks } = signedIn;
    assert.equal(
      (await client.fetchUserInfo(app.client, tokens.access_token, person.id)).sub,
      person.id,
    );
    advanceTime(wait);
    await assert.rejects(redeem(app, callback, checks), { error: "invalid_grant" });
    if (wait < 60_000) await assertRevoked(app, signedIn);
    await assert.rejects(redeem(app, callback, checks), { error: "invalid_grant" }, "a third use");
  });
}

module(
  "oidcc-codereuse",
  "of requests at the same time, at most one gets tokens",
  async (visit) => {
    const { browser, app, person } = visit;
    const { url, checks } = await startSignIn(app);
    const { url: callback } = await walk(browser, await browser.visit(url), person);
    const uses = Array.from({ length: 4 }, () => redeem(app, callback, checks));
    const results = await Promise.allSettled(uses);
    const winners = results.filter((result) => result.status === "fulfilled");
    assert.ok(winners.length <= 1, `${winners.length} requests got tokens`);
    for (const { value } of winners) {
      const { access_token: token } = value.tokens;
      await assert.rejects(client.fetchUserInfo(app.client, token, person.id), { status: 401 });
    }
  },
);

module("oidcc-refresh-token", "renews tokens, for the app that has them alone", async (visit) => {
  const { provider, browser, app, person } = visit;
  assert.ok(app.client.serverMetadata().scopes_supported?.includes("offline_access"));
  const parameters = { scope: "openid offline_access", prompt: "consent" };
  const first = await signIn(browser, app, person, parameters);
  const refresh = first.tokens.refresh_token ?? "";
  assert.match(refresh, /^[\x20-\x7e]+$/);
  advanceTime(2_000);
  const renewed = await client.refreshTokenGrant(app.client, refresh);
  const claims = renewed.claims();
  assert.ok(claims !== undefined && renewed.access_token !== first.tokens.access_token);
  assert.deepEqual(
    [claims.iss, claims.sub, claims.aud, claims.auth_time],
    [ISSUER, person.id, app.id, first.claims.auth_time],
  );
  assert.ok(claims.iat > first.claims.iat);
  const { sub } = await client.fetchUserInfo(app.client, renewed.access_token, person.id);
  assert.equal(sub, person.id);

  const thief = await provider.addApp();
  const stolen = client.refreshTokenGrant(thief.client, renewed.refresh_token ?? "");
  await assert.rejects(stolen, { error: "invalid_grant" });
  const again = await client.refreshTokenGrant(app.client, renewed.refresh_token ?? "");
  assert.ok(again.access_token, "the attempt of another app ends nothing");

  await assert.rejects(client.refreshTokenGrant(app.client, refresh), { error: "invalid_grant" });
  const latest = { ...first, tokens: { ...first.tokens, ...again } };
  await assertRevoked(app, latest as SignedIn);
});
