import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Session, UserId } from "../../../src/db/records.ts";
import { signOut } from "../../../src/features/sessions/sign-out.ts";
import { createPendingSignOuts } from "../../../src/identity/pending-sign-outs.ts";
import { toSession } from "../../../src/identity/start-session.ts";
import { accountWithSessions, CLIENT } from "../../identity/session-services.ts";
import { createCoreServices } from "../../support/core-services.ts";
import { eventually } from "../../support/eventually.ts";
import { mint } from "../../support/mint.ts";
import { addTo } from "../../support/store.ts";

test("ends the sessions of the browser, recorded or not, and leaves the user's others", async (t) => {
  const { ports, user, start, isSignedIn, hasEnded } = await accountWithSessions(t);
  const unrecorded = ports.tokens.issue(user.id).text;
  const [recorded, other] = [await start(), await start()];
  for (const one of [recorded, unrecorded, other]) assert.equal(await isSignedIn(one), true);
  await signOut(ports, ["a.b.c", recorded, "", unrecorded], CLIENT);
  const signedIn = await Promise.all([recorded, unrecorded, other].map(isSignedIn));
  assert.deepEqual(signedIn, [false, false, true]);
  assert.deepEqual(await Promise.all([unrecorded, other].map(hasEnded)), [true, false]);
});

test("ends nothing for a session that has ended or cannot be ended", async (t) => {
  const { ports, user, start } = await accountWithSessions(t);
  const now = ports.clock.now() / 1_000;
  const one = await start();
  const end = t.mock.method(ports.store.sessions, "end");
  const twice = [signOut(ports, [one], CLIENT), signOut(ports, [one], CLIENT)];
  assert.deepEqual(await Promise.all(twice), ["ended", "ended"]);
  const others = [
    ...["", "a.b.c"],
    mint({ user_id: user.id, jti: "a", exp: now - 1 }),
    mint({ user_id: user.id, exp: now + 60 }),
    ports.tokens.issue("nobody" as UserId).text,
  ];
  assert.equal(await signOut(ports, others, CLIENT), "ended");
  const outcomes = await Promise.all(end.mock.calls.map(({ result }) => result));
  assert.deepEqual(outcomes, [true, false, false]);
});

test("ends only the sessions of one user if asked to", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const guest = await addTo(ports.store, "guest");
  const [own, other] = [await start(), ports.tokens.issue(guest.id).text];
  await signOut(ports, [other, own, "a.b.c"], CLIENT, user.id);
  assert.deepEqual([await isSignedIn(own), await isSignedIn(other)], [false, true]);
});

test("refuses here at once what a failing store cannot end, logs it once, and ends the next session", async (t) => {
  const { ports, user, start, isSignedIn, hasEnded } = await accountWithSessions(t);
  const [one, other] = [await start(), await start()];
  assert.equal(await isSignedIn(one), true);
  const end = t.mock.method(ports.store.sessions, "end");
  end.mock.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")));
  assert.equal(await signOut(ports, [one, other], CLIENT), "not-ended");
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, false]);
  assert.deepEqual([await hasEnded(one), await hasEnded(other)], [false, true]);
  assert.equal(await signOut(ports, [one], CLIENT), "not-ended");
  const fields = { userId: user.id, reason: "the disk is full" };
  assert.deepEqual(ports.log.lines, [
    { level: "warn", message: "a session was not ended yet: trying again", fields },
  ]);
  await ports.pendingSignOuts.close();
  assert.equal(await hasEnded(one), true);
  assert.equal(await signOut(ports, [one], CLIENT), "ended");
});

/** Pending sign-outs, of a store that fails while `isAway`. */
async function failingStore(t: TestContext) {
  const ports = await createCoreServices(t);
  const { clock, log } = ports;
  const store = { isAway: true, tried: 0, ended: [] as unknown[] };
  const end = async ({ id }: Session): Promise<boolean> => {
    store.tried += 1;
    if (store.isAway) throw new Error("the store is away");
    return store.ended.push(id) > 0;
  };
  const endingWith = (how: typeof end) =>
    createPendingSignOuts({ ...ports, store: { sessions: { ...ports.store.sessions, end: how } } });
  const sessionOf = (id: string): Session => {
    const token = ports.tokens.issue("1" as UserId);
    const soon = { ...token, id, expiresAt: clock.now() + 60_000 };
    return toSession(soon, clock.now(), { remoteAddress: "192.0.2.1" });
  };
  return { clock, log, store, pendingSignOuts: endingWith(end), endingWith, sessionOf };
}

test("tries again until the store answers, and refuses the sessions until then", async (t) => {
  const { store, pendingSignOuts, sessionOf, log } = await failingStore(t);
  const [one, other] = [sessionOf("one"), sessionOf("other")];
  for (const session of [one, other, one])
    assert.equal(await pendingSignOuts.end(session), "not-ended");
  await eventually(() => (store.tried >= 2 ? true : undefined));
  const refused = [
    pendingSignOuts.has("one"),
    pendingSignOuts.has("other"),
    pendingSignOuts.has("third"),
  ];
  assert.deepEqual(refused, [true, true, false]);
  store.isAway = false;
  await eventually(() =>
    pendingSignOuts.has("one") || pendingSignOuts.has("other") ? undefined : true,
  );
  assert.deepEqual(store.ended.toSorted(), ["one", "other"]);
  store.ended.length = 0;
  assert.equal(await pendingSignOuts.end(sessionOf("later")), "ended");
  await pendingSignOuts.close();
  assert.deepEqual([store.ended, log.lines.length], [["later"], 2]);
});

test("tries once more when it is closed, and logs how many were not ended, without their IDs", async (t) => {
  const { store, pendingSignOuts, sessionOf, log } = await failingStore(t);
  for (const name of ["one", "other"]) await pendingSignOuts.end(sessionOf(name));
  await pendingSignOuts.close();
  assert.equal(store.tried, 3);
  const message = "sessions were not ended at their sign-out: their tokens stay valid";
  assert.deepEqual(log.lines.slice(2), [{ level: "warn", message, fields: { sessions: 2 } }]);
  store.isAway = false;
  await pendingSignOuts.close();
  assert.deepEqual([store.ended.toSorted(), log.lines.length], [["one", "other"], 3]);
});

test("a close does not wait for a store that never answers", async (t) => {
  const { sessionOf, log, endingWith } = await failingStore(t);
  const end = t.mock.fn(() => new Promise<boolean>(() => {}));
  end.mock.mockImplementationOnce(() => Promise.reject(new Error("away")));
  const pendingSignOuts = endingWith(end);
  await pendingSignOuts.end(sessionOf("one"));
  const keepsRunning = setTimeout(() => {}, 10_000);
  await pendingSignOuts.close();
  clearTimeout(keepsRunning);
  assert.deepEqual(log.lines.at(-1)?.fields, { sessions: 1 });
});

test("forgets a session once its token has expired", async (t) => {
  const { clock, store, pendingSignOuts, sessionOf, log } = await failingStore(t);
  await pendingSignOuts.end(sessionOf("one"));
  clock.advance(60_000);
  await pendingSignOuts.close();
  assert.deepEqual([store.tried, log.lines.length], [1, 1]);
});

test("keeps a bounded number", async (t) => {
  const { pendingSignOuts, sessionOf, log } = await failingStore(t);
  for (let n = 0; n < 1_000; n += 1) await pendingSignOuts.end(sessionOf(`${n}`));
  assert.equal(pendingSignOuts.has("999"), true);
  assert.equal(await pendingSignOuts.end(sessionOf("more")), "not-ended");
  assert.equal(pendingSignOuts.has("more"), false);
  assert.equal(log.lines.at(-1)?.message, "a session was not ended: its token stays valid");
  await pendingSignOuts.close();
});
