import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addEndedSessions,
  MAX_ENDED_SESSIONS,
} from "../../../src/core/sessions/add-ended-sessions.ts";
import type { SessionStore } from "../../../src/core/sessions/session-store.ts";
import type { UserId } from "../../../src/core/store.ts";
import { add } from "../../support/store.ts";
import { accountWithSessions, type SessionsScene } from "./session-ports.ts";

test("keeps an ended session in the list until two minutes after its expiry", async (t) => {
  const { ports, user, ended } = await accountWithSessions(t);
  /** Ends a session that expires in ten seconds, and returns the list. */
  const end = async (id: string) => {
    const expiresAt = new Date(ports.clock.now() + 10_000);
    await addEndedSessions(ports, user, [{ id, expiresAt }]);
    const list = await ended();
    return list === "all" ? list : [...list.keys()];
  };
  await end("a");
  ports.clock.advance(129_000);
  assert.deepEqual(await end("b"), ["a", "b"]);
  ports.clock.advance(1_000);
  assert.deepEqual(await end("c"), ["b", "c"]);
});

test("changes nothing of a list that cannot be read", async (t) => {
  const { ports, user, start, isSignedIn, ended } = await accountWithSessions(t);
  const token = await start();
  await ports.store.replaceExtra(user.id, "endedSessions", undefined, "not JSON");
  ports.users.forget(user.id);
  assert.equal(await isSignedIn(token), false);
  await addEndedSessions(ports, user, [{ id: "a", expiresAt: new Date() }]);
  assert.equal(await ended(), "all");
});

/** They expire after every test. */
const sessionsToEnd = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `session ${index}`,
    expiresAt: new Date(Date.UTC(2031, 0)),
  }));

test("ends all sessions instead of keeping more than a thousand", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const token = await start();
  await addEndedSessions(ports, user, sessionsToEnd(MAX_ENDED_SESSIONS));
  assert.equal(await isSignedIn(token), true);
  await addEndedSessions(ports, user, sessionsToEnd(MAX_ENDED_SESSIONS + 1).slice(-1));
  assert.equal(await isSignedIn(token), false);
  assert.equal(await ports.store.hasExtra("endedSessions"), false, "the list is removed");
  assert.equal(await isSignedIn(await start()), true, "a new sign-in works");
});

test("ends sessions without guards in the process, and none of an unknown user", async (t) => {
  const { ports, user, ended } = await accountWithSessions(t);
  const { store, clock } = ports;
  const session = { id: "a", expiresAt: new Date(clock.now()) };
  const nobody = { ...user, id: "nobody" as UserId };
  await addEndedSessions({ store, clock }, nobody, [session]);
  await addEndedSessions({ store, clock }, user, [session]);
  assert.deepEqual(await ended(), new Map([["a", clock.now() / 1_000]]));
});

/** Ends more sessions than the list may have, and does something after all have been ended. */
async function overflow({ ports, user }: SessionsScene, next: () => Promise<unknown>) {
  const endSessions: SessionStore["endSessions"] = async (of, before) => {
    const count = await ports.store.endSessions(of, before);
    await next();
    return count;
  };
  const store = { ...ports.store, endSessions };
  await addEndedSessions({ ...ports, store }, user, sessionsToEnd(MAX_ENDED_SESSIONS + 1));
}

for (const [what, change, expected] of [
  [
    "another session that is ended",
    (list: string) => list.replace("[", '[["another",1],'),
    '[["another",1]]',
  ],
  ["damage that keeps every session ended", () => "not JSON", "not JSON"],
] as const) {
  test(`keeps ${what} while the list is removed`, async (t) => {
    const scene = await accountWithSessions(t);
    const { store } = scene.ports;
    await overflow(scene, async () => {
      const { endedSessions = "" } = (await store.findUser(scene.user.id)) ?? {};
      const changed = change(endedSessions);
      await store.replaceExtra(scene.user.id, "endedSessions", endedSessions, changed);
    });
    assert.equal((await store.findUser(scene.user.id))?.endedSessions, expected);
  });
}

test("accepts that the user is removed while the list is", async (t) => {
  const scene = await accountWithSessions(t);
  const { store } = scene.ports;
  await add(store, "guest");
  await overflow(scene, () => store.removeUser(scene.user.id));
  assert.equal(await store.findUser(scene.user.id), undefined);
});
