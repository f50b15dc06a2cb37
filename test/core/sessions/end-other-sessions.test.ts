import assert from "node:assert/strict";
import { test } from "node:test";
import { endOtherSessions } from "../../../src/core/sessions/end-other-sessions.ts";
import type { SessionStore } from "../../../src/core/sessions/session-store.ts";
import { accountWithSessions, idOf } from "./session-ports.ts";

test("ends all sessions of the user but one", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const [one, own, other] = [await start(), await start(), await start()];
  assert.equal(await endOtherSessions(ports, user.id, idOf(own)), 2);
  const signedIn = [await isSignedIn(one), await isSignedIn(own), await isSignedIn(other)];
  assert.deepEqual(signedIn, [false, true, false]);
});

test("changes nothing of a user without other sessions", async (t) => {
  const { ports, user, start } = await accountWithSessions(t);
  const own = idOf(await start());
  const findUser = t.mock.fn(ports.store.findUser);
  const store = { ...ports.store, findUser };
  assert.equal(await endOtherSessions({ ...ports, store }, user.id, own), 0);
  assert.equal(findUser.mock.callCount(), 0);
});

test("ends every session if there are too many for the list", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const [own, notRead] = [await start(), await start()];
  const recorded = await ports.store.findSession(idOf(own));
  assert.ok(recorded);
  const readSessionsOf: SessionStore["readSessionsOf"] = async (_user, _now, limit) => [
    recorded,
    ...Array.from({ length: limit - 1 }, (_, index) => ({ ...recorded, id: `${index}` })),
  ];
  const store = { ...ports.store, readSessionsOf };
  await endOtherSessions({ ...ports, store }, user.id, idOf(own));
  assert.deepEqual([await isSignedIn(own), await isSignedIn(notRead)], [false, false]);
});
