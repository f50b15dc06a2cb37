import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import {
  createSessionTokens,
  DEVELOPMENT_SECRET,
  SESSION_LIFETIME_SECONDS,
  type SessionTokens,
} from "../../src/core/session-token.ts";
import type { UserId } from "../../src/core/store.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { mint, partsOf, userIdIn } from "../support/mint.ts";

const OWNER = "user-1" as UserId;
const secondsOf = (clock: FakeClock): number => Math.floor(clock.now() / 1_000);

function tokensWithClock(now?: number): { tokens: SessionTokens; clock: FakeClock } {
  const clock = fakeClock(now);
  return { tokens: createSessionTokens(SECRET, clock), clock };
}

test("a token carries the user, a new 128-bit jti, and thirty days from its issue", async () => {
  const { tokens, clock } = tokensWithClock(Date.UTC(2030, 0, 1) + 999);
  const first = partsOf(await tokens.issue(OWNER));
  const second = partsOf(await tokens.issue(OWNER));
  assert.deepEqual(first.header, { alg: "HS256", typ: "JWT" });
  assert.deepEqual(Object.keys(first.claims).sort(), ["exp", "iat", "jti", "user_id"]);
  assert.equal(first.claims.user_id, OWNER);
  assert.equal(first.claims.iat, secondsOf(clock));
  assert.equal(first.claims.exp, secondsOf(clock) + SESSION_LIFETIME_SECONDS);
  assert.equal(SESSION_LIFETIME_SECONDS, 2_592_000);
  assert.match(String(first.claims.jti), /^[0-9a-f]{32}$/);
  assert.notEqual(first.claims.jti, second.claims.jti);
});

test("the signature is HMAC-SHA256 of header and claims with the secret's UTF-8 bytes", async () => {
  const secret = "ein längeres Geheimnis für Tests 🔑";
  const token = await createSessionTokens(secret, fakeClock()).issue(OWNER);
  const [header, claims, signature] = token.split(".");
  const expected = createHmac("sha256", Buffer.from(secret, "utf8"))
    .update(`${header}.${claims}`)
    .digest("base64url");
  assert.equal(signature, expected);
});

test("an issued token is read back, by another instance with the same secret too", async () => {
  const { tokens, clock } = tokensWithClock();
  const token = await tokens.issue(OWNER);
  assert.equal(await userIdIn(tokens, token), OWNER);
  assert.equal(await userIdIn(createSessionTokens(SECRET, clock), token), OWNER);
  assert.equal(await userIdIn(createSessionTokens(`${SECRET}.`, clock), token), undefined);
});

test("the development secret signs, with as many bytes as the digest has or more", async () => {
  const tokens = createSessionTokens(DEVELOPMENT_SECRET, fakeClock());
  assert.equal(await userIdIn(tokens, await tokens.issue(OWNER)), OWNER);
  assert.ok(Buffer.byteLength(DEVELOPMENT_SECRET) >= 32);
});

test("a token minted elsewhere with the same secret is accepted", async () => {
  const { tokens, clock } = tokensWithClock();
  const exp = secondsOf(clock) + 60;
  assert.equal(await userIdIn(tokens, mint({ user_id: OWNER, exp })), OWNER);
  const header = { typ: "JWT", alg: "HS256", kid: "2030-01" };
  const claims = { exp, user_id: OWNER, aud: "app", role: ["admin"] };
  assert.equal(await userIdIn(tokens, mint(claims, { header })), OWNER, "with more in it");
});

test("an iat a little in the future is fine, since clocks differ between machines", async () => {
  const { tokens, clock } = tokensWithClock();
  const now = secondsOf(clock);
  const token = mint({ user_id: OWNER, iat: now + 90, exp: now + 3_600 });
  assert.equal(await userIdIn(tokens, token), OWNER);
});

test("a token is good until the second of its expiry, and not in it", async () => {
  const { clock, tokens } = tokensWithClock();
  const token = await tokens.issue(OWNER);
  clock.advance(SESSION_LIFETIME_SECONDS * 1_000 - 1);
  assert.equal(await userIdIn(tokens, token), OWNER);
  clock.advance(1);
  assert.equal(await userIdIn(tokens, token), undefined);
});

test("exp counts seconds: a number of milliseconds is a moment far away", async () => {
  const { tokens, clock } = tokensWithClock();
  const token = mint({ user_id: OWNER, exp: clock.now() });
  assert.equal(await userIdIn(tokens, token), OWNER);
  clock.advance(1_000 * SESSION_LIFETIME_SECONDS);
  assert.equal(await userIdIn(tokens, token), OWNER);
});

test("a token whose time has not come is accepted once it has", async () => {
  const { tokens, clock } = tokensWithClock();
  const now = secondsOf(clock);
  const token = mint({ user_id: OWNER, nbf: now + 30, exp: now + 60 });
  assert.equal(await userIdIn(tokens, token), undefined);
  clock.advance(30_000);
  assert.equal(await userIdIn(tokens, token), OWNER);
});
