import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../src/db/records.ts";
import {
  computeValidUpTo,
  createSessionTokens,
  isRecentSignIn,
  SESSION_LIFETIME_SECONDS,
  type SessionTokens,
} from "../../src/identity/session-token.ts";
import { type FakeClock, fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { encoded, mint, partsOf, signed, userIdIn } from "../support/mint.ts";

const OWNER = "user-1" as UserId;
const secondsOf = (clock: FakeClock): number => Math.floor(clock.now() / 1_000);

function tokensWithClock(now?: number): { tokens: SessionTokens; clock: FakeClock } {
  const clock = fakeClock(now);
  return { tokens: createSessionTokens(SECRET, clock), clock };
}

test("issues a token with the user, a new 128-bit jti and a lifetime of thirty days", () => {
  const { tokens, clock } = tokensWithClock(Date.UTC(2030, 0, 1) + 999);
  const first = partsOf(tokens.issue(OWNER).text);
  const second = partsOf(tokens.issue(OWNER).text);
  assert.deepEqual(first.header, { alg: "HS256", typ: "JWT" });
  const bound = tokens.sign({ ...tokens.issue(OWNER, 7, 2), host: "a.test" });
  const own = { sessions_from: 7, factors: 2, host: "a.test" };
  assert.deepEqual(partsOf(bound.text).header, { alg: "HS256", typ: "JWT", ...own });
  assert.deepEqual(Object.keys(first.claims).sort(), ["exp", "iat", "jti", "user_id"]);
  assert.equal(first.claims.user_id, OWNER);
  assert.equal(first.claims.iat, secondsOf(clock));
  assert.equal(first.claims.exp, secondsOf(clock) + SESSION_LIFETIME_SECONDS);
  assert.equal(SESSION_LIFETIME_SECONDS, 2_592_000);
  assert.match(String(first.claims.jti), /^[0-9a-f]{32}$/);
  assert.notEqual(first.claims.jti, second.claims.jti);
});

test("verifies an issued token in every instance with that secret, also as a previous one", () => {
  const { tokens, clock } = tokensWithClock();
  const token = tokens.issue(OWNER).text;
  const rotated = createSessionTokens("new", clock, ["unused", SECRET]);
  for (const instance of [tokens, createSessionTokens(SECRET, clock), rotated]) {
    assert.equal(userIdIn(instance, token), OWNER);
  }
  const reread = tokens.verify(rotated.issue(OWNER).text);
  assert.equal(reread, "forged", "it signs with the new secret only");
  assert.equal(createSessionTokens("new", clock, [`${SECRET}.`]).verify(token), "forged");
});

test("reads a jti that is text and a sessions_from that is a number, and ignores others", () => {
  const { tokens, clock } = tokensWithClock();
  const exp = secondsOf(clock) + 60;
  for (const [jti, sessions_from, read] of [
    ["a", 7, ["a", 7]],
    [1, "7", [undefined, 0]],
    [undefined, undefined, [undefined, 0]],
    [["a"], ["7"], [undefined, 0]],
    ["a", 7.5, ["a", 0]],
  ] as const) {
    const header = { alg: "HS256", typ: "JWT", sessions_from };
    const verified = tokens.verify(mint({ user_id: OWNER, jti, exp }, { header }));
    assert.ok(typeof verified === "object");
    assert.deepEqual([verified.id, verified.sessionsFrom], read);
  }
});

test("a token is bound to a host that is text, and is no session with anything else as its host", () => {
  const { tokens, clock } = tokensWithClock();
  const claims = { user_id: OWNER, exp: secondsOf(clock) + 60 };
  const withHost = (host: unknown) =>
    tokens.verify(mint(claims, { header: { alg: "HS256", typ: "JWT", host } }));
  for (const host of ["a.test", "", "a.test,b.test"])
    assert.partialDeepStrictEqual(withHost(host), { userId: OWNER, host });
  assert.partialDeepStrictEqual(withHost(undefined), { userId: OWNER, host: undefined });
  for (const host of [["a.test"], [["a.test"]], ["a.test", "b.test"], [], null, 0, true, {}])
    assert.equal(withHost(host), undefined, JSON.stringify(host));
});

test("a token with an endless sessions_from ends with all sessions", () => {
  const { tokens, clock } = tokensWithClock();
  const claims = encoded({ user_id: OWNER, exp: secondsOf(clock) + 60, iat: secondsOf(clock) });
  const header = Buffer.from('{"alg":"HS256","typ":"JWT","sessions_from":1e999}');
  const token = tokens.verify(signed(header.toString("base64url"), claims));
  assert.ok(typeof token === "object");
  assert.ok(computeValidUpTo(token) < secondsOf(clock));
});

test("a token tells of two factors, also under another ID", () => {
  const tokens = createSessionTokens(SECRET, fakeClock());
  const read = (text: string) => {
    const verified = tokens.verify(text);
    assert.ok(typeof verified === "object");
    return verified;
  };
  const one = read(tokens.issue(OWNER, 7).text);
  assert.equal(one.factors, 1);
  for (const factors of [1, 2] as const) {
    const token = { ...one, factors };
    assert.deepEqual(read(tokens.sign(token, one.id).text), token);
    const { id, ...others } = read(tokens.sign(token).text);
    assert.ok(id !== one.id && others.factors === factors);
  }
  const factors = read(mint({ user_id: OWNER, exp: one.expiresAt / 1_000, factors: 2 })).factors;
  assert.equal(factors, 1, "a claim");
});

test("issues tokens of another lifetime", () => {
  const clock = fakeClock();
  const tokens = createSessionTokens(SECRET, clock, [], 3_600);
  const token = tokens.issue(OWNER);
  assert.equal(token.expiresAt, token.issuedAt + 3_600_000);
});

const SIGNED_IN = 1_900_000_000;

/** Whether a sign-in counts that many seconds after it. */
const after = (seconds: number, issuedAt = SIGNED_IN): boolean =>
  isRecentSignIn({ issuedAt: issuedAt * 1_000 }, { now: () => (SIGNED_IN + seconds) * 1_000 });

test("a sign-in is recent for ten minutes", () => {
  const recent = [after(0), after(599.999), after(600), after(86_400)];
  assert.deepEqual(recent, [true, true, false, false]);
});

test("a sign-in from ahead is recent only within the tolerated difference of clocks", () => {
  assert.deepEqual([after(-119), after(-120), after(-86_400)], [true, false, false]);
});

test("a token without a time of issue is not recent, not even where the clock starts at 1970", () => {
  assert.equal(after(0, 0), false);
  for (const now of [0, 60_000])
    assert.equal(isRecentSignIn({ issuedAt: 0 }, { now: () => now }), false);
});
