import assert from "node:assert/strict";
import { test } from "node:test";
import { signOut } from "../../../src/core/sessions/sign-out.ts";
import type { UserId } from "../../../src/core/store.ts";
import { mint } from "../../support/mint.ts";
import { add } from "../../support/store.ts";
import { accountWithSessions, idOf } from "./session-ports.ts";

test("ends the sessions of the browser, recorded or not, and leaves the user's others", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const [recorded, other, unrecorded] = [await start(), await start(), ports.tokens.issue(user.id)];
  await signOut(ports, ["a.b.c", recorded, "", unrecorded]);
  const signedIn = await Promise.all([recorded, unrecorded, other].map(isSignedIn));
  assert.deepEqual(signedIn, [false, false, true]);
});

test("keeps the ended session in the list until its token expires", async (t) => {
  const { ports, user, ended } = await accountWithSessions(t);
  const exp = ports.clock.now() / 1_000 + 60;
  await signOut(ports, [mint({ user_id: user.id, jti: "a", exp })]);
  assert.deepEqual(await ended(), new Map([["a", exp]]));
});

test("changes nothing for a session that has ended or cannot be ended", async (t) => {
  const { ports, user, start, ended } = await accountWithSessions(t);
  const now = ports.clock.now() / 1_000;
  const before = await start();
  await ports.store.endSessions(user.id, now + 1);
  const one = await start();
  await Promise.all([signOut(ports, [one]), signOut(ports, [one])]);
  const list = await ended();
  await signOut(ports, [
    ...["", "a.b.c", before, one],
    mint({ user_id: user.id, jti: "a", exp: now - 1 }),
    mint({ user_id: user.id, exp: now + 60 }),
    ports.tokens.issue("nobody" as UserId),
  ]);
  assert.deepEqual(await ended(), list);
});

test("ends only the sessions of one user if asked to", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const guest = await add(ports.store, "guest");
  const [own, other] = [await start(), ports.tokens.issue(guest.id)];
  await signOut(ports, [other, own, "a.b.c"], user.id);
  assert.deepEqual([await isSignedIn(own), await isSignedIn(other)], [false, true]);
});

test("refuses here at once what a failing store cannot end, logs it once, and ends the next session", async (t) => {
  const { ports, user, start, isSignedIn, ended } = await accountWithSessions(t);
  const [one, other] = [await start(), await start()];
  assert.equal(await isSignedIn(one), true);
  const findUser = t.mock.fn(ports.store.findUser);
  findUser.mock.mockImplementationOnce(() => Promise.reject(new Error("the disk is full")));
  const failing = { ...ports, store: { ...ports.store, findUser } };
  assert.equal(await signOut(failing, [one, other]), "not-ended");
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, false]);
  assert.deepEqual([...((await ended()) as Map<string, number>).keys()], [idOf(other)]);
  assert.equal(await signOut(ports, [one]), "not-ended");
  const fields = { userId: user.id, reason: "the disk is full" };
  assert.deepEqual(ports.log.lines, [
    { level: "warn", message: "a session was not ended yet: trying again", fields },
  ]);
  await ports.waiting.close();
  assert.deepEqual(
    new Set(((await ended()) as Map<string, number>).keys()),
    new Set([one, other].map(idOf)),
  );
  assert.equal(await signOut(ports, [one]), "ended");
});
