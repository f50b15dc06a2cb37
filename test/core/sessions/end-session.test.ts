import assert from "node:assert/strict";
import { test } from "node:test";
import { endSession } from "../../../src/core/sessions/end-session.ts";
import { add } from "../../support/store.ts";
import { accountWithSessions, idOf } from "./session-ports.ts";

test("ends a session of the user at once, and no other", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const [one, other] = [await start(), await start()];
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, true]);
  assert.equal(await endSession(ports, user.id, idOf(one)), "ended");
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, true]);
  assert.equal(await endSession(ports, user.id, idOf(one)), "no-session", "it is not listed");
  assert.ok(await ports.store.sessions.find(idOf(other)));
});

test("does not end the session of another user", async (t) => {
  const { ports, start, isSignedIn } = await accountWithSessions(t);
  const token = await start();
  const guest = await add(ports.store, "guest");
  assert.equal(await endSession(ports, guest.id, idOf(token)), "no-session");
  assert.ok(await ports.store.sessions.find(idOf(token)));
  assert.equal(await isSignedIn(token), true);
});
