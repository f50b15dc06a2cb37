import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
} from "../../../src/features/sessions/manage-sessions.ts";
import type { IssuedToken } from "../../../src/identity/session-token.ts";
import { startSession } from "../../../src/identity/start-session.ts";
import { accountWithSessions, CLIENT, idOf } from "../../identity/session-services.ts";
import { mint, partsOf } from "../../support/mint.ts";
import { addTo } from "../../support/store.ts";

const FORGED = "a.b.c";
const DAY_MS = 86_400_000;

async function scene(t: TestContext) {
  const account = await accountWithSessions(t);
  const { ports, user, isSignedIn } = account;
  const sessionIn = (text: string) => {
    const token = ports.tokens.verify(text);
    return token === "forged" ? undefined : token;
  };
  return {
    ...account,
    list: async (token: string) => (await listSessions(ports, sessionIn(token), CLIENT)).sessions,
    end: (id: string, of = user) => endSession(ports, of, id, CLIENT),
    endOthers: (
      token: string,
      changed: Partial<Parameters<typeof endOtherSessions>[0]> = {},
      of = user,
    ) => endOtherSessions({ ...ports, ...changed }, of, sessionIn(token), CLIENT),
    signedIn: (...tokens: readonly string[]) => Promise.all(tokens.map(isSignedIn)),
  };
}

test("lists this session first, at once after the sign-in, and none if it has expired", async (t) => {
  const { ports, user } = await scene(t);
  const first = startSession(ports, user, CLIENT);
  ports.clock.advance(1_000);
  for (let n = 0; n < 2; n += 1) startSession(ports, user, CLIENT);
  const { sessions, currentId } = await listSessions(ports, first, CLIENT);
  const ages = sessions.map(({ createdAt }) => ports.clock.now() - createdAt.getTime());
  assert.deepEqual([ages, currentId], [[1_000, 0, 0], first.id]);
  for (let n = 3; n < 50; n += 1) startSession(ports, user, CLIENT);
  const all = await listSessions(ports, first, CLIENT);
  assert.deepEqual([all.sessions.length, all.hasMore], [50, false]);
  startSession(ports, user, CLIENT);
  const more = await listSessions(ports, first, CLIENT);
  assert.deepEqual([more.sessions.length, more.hasMore], [50, true]);
  assert.deepEqual(more.sessions[0], sessions[0], "this one, though another is newer");
  const none = { sessions: [], hasMore: false, currentId: undefined };
  assert.deepEqual(await listSessions(ports, undefined, CLIENT), none);
});

test("records this session if it is not recorded yet", async (t) => {
  const { ports, user, list } = await scene(t);
  const iat = ports.clock.now() / 1_000 - 60;
  const token = mint({ user_id: user.id, jti: "older", iat, exp: iat + 3_600 });
  const expected = {
    id: "older",
    userId: user.id,
    createdAt: new Date(iat * 1_000),
    usedAt: new Date(ports.clock.now()),
    expiresAt: new Date((iat + 3_600) * 1_000),
    address: CLIENT.remoteAddress,
    device: "curl",
  };
  assert.deepEqual(await list(token), [expected]);
  await ports.recorder.flush();
  assert.deepEqual(await ports.store.sessions.find("older"), expected);
  assert.deepEqual(await list(token), [expected]);
});

test("lists the others for a token without an ID", async (t) => {
  const { ports, user, list } = await scene(t);
  startSession(ports, user, CLIENT);
  const exp = ports.clock.now() / 1_000 + 60;
  assert.equal((await list(mint({ user_id: user.id, exp }))).length, 1);
});

test("ends one session and records it, and records nothing for an unknown or ended one", async (t) => {
  const { ports, end, start, signedIn } = await scene(t);
  const [one, other] = [await start(), await start()];
  assert.equal(await end("unknown"), "no-session");
  assert.equal(await end(idOf(one)), "ended");
  assert.deepEqual(await signedIn(one, other), [false, true]);
  assert.equal(await end(idOf(one)), "no-session", "it is not listed");
  assert.ok(await ports.store.sessions.find(idOf(other)));
  assert.deepEqual(await ports.writtenEntries(), ["session_end: Ended a session of owner"]);
});

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
  const token = await endOthers(own);
  assert.ok(token);
  assert.deepEqual(await signedIn(...before), [false, false, false, false]);
  assert.deepEqual(await signedIn(token.text, await start()), [true, true]);
  await ports.recorder.flush();
  const rows = await ports.store.sessions.listOf(user.id, new Date(ports.clock.now()), 9);
  assert.equal(rows.length, 2);
  assert.ok(rows.some(({ id }) => id === token.id));
});

test("keeps the time of the sign-in and the expiry, so that a session cannot be prolonged", async (t) => {
  const { ports, start, endOthers } = await scene(t);
  const own = await start();
  ports.clock.advance(DAY_MS);
  const token = await endOthers(own);
  assert.ok(token);
  const [old, renewed] = [partsOf(own).claims, partsOf(token.text).claims];
  assert.deepEqual({ ...renewed, jti: old.jti }, old);
  assert.match(String(renewed.jti), /^[0-9a-f]{32}$/);
  assert.notEqual(renewed.jti, old.jti);
  await ports.recorder.flush();
  const row = await ports.store.sessions.find(token.id);
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
    const token = await endOthers(own, { clock: { now: () => now } });
    assert.ok(token);
    assert.deepEqual(await signedIn(own, other, token.text), [false, false, true]);
  });
}

test("one of two sessions that end all others at the same time is signed out, or both", async (t) => {
  const { start, signedIn, endOthers } = await scene(t);
  const [one, other] = [await start(), await start()];
  const outcomes = await Promise.all([endOthers(one), endOthers(other)]);
  const tokens = outcomes.filter((token): token is IssuedToken => token !== undefined);
  assert.equal(tokens.length, 1);
  const all = [one, other, ...tokens.map(({ text }) => text)];
  assert.deepEqual(await signedIn(...all), [false, false, false]);
});

for (const [what, end] of [
  [
    "with all others",
    ({ ports, user }) => ports.store.users.endSessions(user.id, ports.clock.now() / 1_000),
  ],
  ["by itself", (account, own) => account.end(idOf(own))],
] as readonly (readonly [
  string,
  (account: Awaited<ReturnType<typeof scene>>, own: string) => Promise<unknown>,
])[]) {
  test(`a session that has ended ${what} since its guard gets no new token`, async (t) => {
    const account = await scene(t);
    const [own, other] = [await account.start(), await account.start()];
    await end(account, own);
    assert.equal(await account.endOthers(own), undefined);
    assert.deepEqual(await account.signedIn(own, other), [false, false]);
  });
}

test("continues no session of another user or of a forged token, and records none of nobody", async (t) => {
  const { ports, user, start, endOthers, signedIn } = await scene(t);
  const guest = await addTo(ports.store, "guest");
  for (const current of [ports.tokens.issue(guest.id).text, FORGED]) {
    const token = await start();
    assert.equal(await endOthers(current), undefined);
    assert.deepEqual(await signedIn(token), [false]);
  }
  const nobody = { ...user, id: "nobody" as UserId };
  assert.equal(await endOthers(await start(), {}, nobody), undefined);
  assert.equal((await ports.writtenEntries()).length, 2);
});

test("forgets the user even if the answer of the store is lost, or it throws at once", async (t) => {
  const { ports, start, endOthers } = await scene(t);
  const own = await start();
  const forget = t.mock.method(ports.credentialCache, "forget");
  const lost = new Error("the connection is lost");
  const atOnce = (): never => {
    throw lost;
  };
  for (const endSessions of [() => Promise.reject(lost), atOnce]) {
    const store = { ...ports.store, users: { ...ports.store.users, endSessions } };
    await assert.rejects(endOthers(own, { store }), lost);
  }
  assert.equal(forget.mock.callCount(), 2);
});
