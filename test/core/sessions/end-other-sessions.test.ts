import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { endOtherSessions } from "../../../src/core/sessions/end-other-sessions.ts";
import { endSession } from "../../../src/core/sessions/end-session.ts";
import type { VerifiedToken } from "../../../src/core/sessions/session-token.ts";
import { mint, partsOf } from "../../support/mint.ts";
import { accountWithSessions, CLIENT, idOf, type SessionsScene } from "./session-ports.ts";

const DAY_MS = 86_400_000;

async function scene(t: TestContext) {
  const account = await accountWithSessions(t);
  const { ports, user, isSignedIn } = account;
  const verified = (token: string): VerifiedToken => {
    const content = ports.tokens.verify(token);
    assert.ok(typeof content === "object");
    return content;
  };
  return {
    ...account,
    verified,
    endOthers: (token: string, clock: SessionsScene["ports"]["clock"] = ports.clock) =>
      endOtherSessions({ ...ports, clock }, user.id, verified(token), CLIENT),
    signedIn: (...tokens: readonly string[]) => Promise.all(tokens.map(isSignedIn)),
  };
}

test("ends every session up to now, recorded or not, and continues one with a new token", async (t) => {
  const { ports, user, start, signedIn, endOthers } = await scene(t);
  const [own, recorded, unrecorded] = [
    await start(),
    await start(),
    ports.tokens.issue(user.id).text,
  ];
  const iat = ports.clock.now() / 1_000;
  const foreign = mint({ user_id: user.id, iat, exp: iat + 60 });
  const before = [own, recorded, unrecorded, foreign];
  assert.deepEqual(await signedIn(...before), [true, true, true, true]);
  const outcome = await endOthers(own);
  assert.ok(outcome.kind === "others-ended");
  assert.deepEqual(await signedIn(...before), [false, false, false, false]);
  assert.deepEqual(await signedIn(outcome.token.text, await start()), [true, true]);
  await ports.sessions.flush();
  const rows = await ports.store.sessions.listOf(user.id, new Date(ports.clock.now()), 9);
  assert.equal(rows.length, 2);
  assert.ok(rows.some(({ id }) => id === outcome.token.id));
});

test("keeps the time of the sign-in and the expiry, so that a session cannot be prolonged", async (t) => {
  const { ports, start, endOthers } = await scene(t);
  const own = await start();
  ports.clock.advance(DAY_MS);
  const outcome = await endOthers(own);
  assert.ok(outcome.kind === "others-ended");
  const [old, renewed] = [partsOf(own).claims, partsOf(outcome.token.text).claims];
  assert.deepEqual({ ...renewed, jti: old.jti }, old);
  assert.match(String(renewed.jti), /^[0-9a-f]{32}$/);
  assert.notEqual(renewed.jti, old.jti);
  await ports.sessions.flush();
  const row = await ports.store.sessions.find(outcome.token.id);
  assert.equal(Number(row?.expiresAt), Number(old.exp) * 1_000);
  assert.equal(Number(row?.createdAt), Number(old.iat) * 1_000);
});

for (const [what, skew] of [
  ["behind", -60_000],
  ["ahead", 60_000],
] as const) {
  test(`the new token counts at once at an instance whose clock is ${what}`, async (t) => {
    const { ports, start, signedIn, endOthers } = await scene(t);
    const [own, other] = [await start(), await start()];
    const now = ports.clock.now() + skew;
    const outcome = await endOthers(own, { ...ports.clock, now: () => now });
    assert.ok(outcome.kind === "others-ended");
    assert.deepEqual(await signedIn(own, other, outcome.token.text), [false, false, true]);
  });
}

test("one of two sessions that end all others at the same time is signed out, or both", async (t) => {
  const { start, signedIn, endOthers } = await scene(t);
  const [one, other] = [await start(), await start()];
  const outcomes = await Promise.all([endOthers(one), endOthers(other)]);
  assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ["all-ended", "others-ended"]);
  const tokens = outcomes.flatMap((one) => (one.kind === "others-ended" ? [one.token.text] : []));
  assert.deepEqual(await signedIn(one, other, ...tokens), [false, false, false]);
});

for (const [what, end] of [
  [
    "with all others",
    ({ ports, user }) => ports.store.users.endSessions(user.id, ports.clock.now() / 1_000),
  ],
  ["by itself", ({ ports, user }, own) => endSession(ports, user.id, idOf(own))],
] as readonly (readonly [string, (scene: SessionsScene, own: string) => Promise<unknown>])[]) {
  test(`a session that has ended ${what} since its guard gets no new token`, async (t) => {
    const account = await scene(t);
    const [own, other] = [await account.start(), await account.start()];
    await end(account, own);
    assert.deepEqual(await account.endOthers(own), { kind: "all-ended" });
    assert.deepEqual(await account.signedIn(own, other), [false, false]);
  });
}

test("continues no session of another user, and none that is unknown", async (t) => {
  const { ports, user, start, isSignedIn, verified } = await scene(t);
  const own = await start();
  const foreign = { ...verified(own), userId: "guest" as UserId };
  for (const current of [foreign, undefined]) {
    const token = await start();
    const outcome = await endOtherSessions(ports, user.id, current, CLIENT);
    assert.deepEqual(outcome, { kind: "all-ended" });
    assert.equal(await isSignedIn(token), false);
  }
  const nobody = await endOtherSessions(ports, "nobody" as UserId, undefined, CLIENT);
  assert.deepEqual(nobody, { kind: "no-user" });
});

test("forgets the user even if the answer of the store is lost, or it throws at once", async (t) => {
  const { ports, user, start, verified } = await scene(t);
  const own = verified(await start());
  const forget = t.mock.method(ports.users, "forget");
  const lost = new Error("the connection is lost");
  const atOnce = (): never => {
    throw lost;
  };
  for (const endSessions of [() => Promise.reject(lost), atOnce]) {
    const store = { users: { endSessions } };
    await assert.rejects(endOtherSessions({ ...ports, store }, user.id, own, CLIENT), lost);
  }
  assert.equal(forget.mock.callCount(), 2);
});
