import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { signOut } from "../../../src/core/sessions/sign-out.ts";
import { mint } from "../../support/mint.ts";
import { add } from "../../support/store.ts";
import { accountWithSessions, CLIENT } from "./session-ports.ts";

test("ends the sessions of the browser, recorded or not, and leaves the user's others", async (t) => {
  const { ports, user, start, isSignedIn, hasEnded } = await accountWithSessions(t);
  const unrecorded = ports.tokens.issue(user.id).text;
  const [recorded, other] = [await start(), await start()];
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
  const guest = await add(ports.store, "guest");
  const [own, other] = [await start(), ports.tokens.issue(guest.id).text];
  await signOut(ports, [other, own, "a.b.c"], CLIENT, user.id);
  assert.deepEqual([await isSignedIn(own), await isSignedIn(other)], [false, true]);
});

test("refuses here at once what a failing store cannot end, logs it once, and ends the next session", async (t) => {
  const { ports, user, start, isSignedIn, hasEnded } = await accountWithSessions(t);
  const [one, other] = [await start(), await start()];
  assert.equal(await isSignedIn(one), true);
  const end = t.mock.fn(ports.store.sessions.end);
  end.mock.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")));
  const failing = { ...ports, store: { sessions: { ...ports.store.sessions, end } } };
  assert.equal(await signOut(failing, [one, other], CLIENT), "not-ended");
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, false]);
  assert.deepEqual([await hasEnded(one), await hasEnded(other)], [false, true]);
  assert.equal(await signOut(ports, [one], CLIENT), "not-ended");
  const fields = { userId: user.id, reason: "the disk is full" };
  assert.deepEqual(ports.log.lines, [
    { level: "warn", message: "a session was not ended yet: trying again", fields },
  ]);
  await ports.waiting.close();
  assert.equal(await hasEnded(one), true);
  assert.equal(await signOut(ports, [one], CLIENT), "ended");
});
