import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCurrentUser } from "../../../src/core/current-user.ts";
import {
  addEndedSessions,
  MAX_ENDED_SESSIONS,
} from "../../../src/core/sessions/add-ended-sessions.ts";
import { endedSessionsIn } from "../../../src/core/sessions/ended-sessions.ts";
import { startSession } from "../../../src/core/sessions/start-session.ts";
import { corePorts } from "../../support/core-ports.ts";
import { partsOf } from "../../support/mint.ts";
import { hashText } from "../../support/store.ts";

const CLIENT = { remoteAddress: "192.0.2.1" };

async function scene(t: TestContext) {
  const ports = await corePorts(t);
  const user = await ports.insertOwner(hashText("a hash"));
  const currentUser = createCurrentUser(ports.tokens, ports.users, ports.clock);
  return {
    ports,
    user,
    start: async () => startSession(ports, (await ports.store.findUser(user.id)) ?? user, CLIENT),
    isSignedIn: async (token: string) => (await currentUser(token)) !== undefined,
    list: async () => endedSessionsIn((await ports.store.findUser(user.id))?.endedSessions),
  };
}

const idOf = (token: string): string => String(partsOf(token).claims.jti);

test("ends one session at once and leaves the user's others", async (t) => {
  const { ports, user, start, isSignedIn } = await scene(t);
  const [one, other] = [await start(), await start()];
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, true]);
  await ports.sessions.flush();
  const expiresAt = new Date(ports.clock.now() + 1_000);
  await addEndedSessions(ports, user.id, [{ id: idOf(one), expiresAt }]);
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [false, true]);
  const recorded = await ports.store.readSessions({ afterId: "", limit: 9 });
  assert.deepEqual(
    recorded.map(({ id }) => id),
    [idOf(other)],
  );
});

test("keeps an ended session in the list until two minutes after its expiry", async (t) => {
  const { ports, user, list } = await scene(t);
  const end = (id: string, seconds: number) =>
    addEndedSessions(ports, user.id, [
      { id, expiresAt: new Date(ports.clock.now() + seconds * 1_000) },
    ]);
  const ids = async () => {
    const ended = await list();
    return ended === "all" ? ended : [...ended.keys()];
  };
  await end("a", 10);
  ports.clock.advance(129_000);
  await end("b", 10);
  assert.deepEqual(await ids(), ["a", "b"]);
  ports.clock.advance(1_000);
  await end("c", 10);
  assert.deepEqual(await ids(), ["b", "c"]);
});

test("changes nothing of a list that cannot be read", async (t) => {
  const { ports, user, start, isSignedIn, list } = await scene(t);
  const token = await start();
  await ports.store.replaceExtra(user.id, "endedSessions", undefined, "not JSON");
  ports.users.forget(user.id);
  assert.equal(await isSignedIn(token), false);
  await addEndedSessions(ports, user.id, [{ id: "a", expiresAt: new Date() }]);
  assert.equal(await list(), "all");
});

test("ends all sessions instead of keeping more than a thousand", async (t) => {
  const { ports, user, start, isSignedIn, list } = await scene(t);
  const token = await start();
  const expiresAt = new Date(ports.clock.now() + 1_000_000);
  const sessions = Array.from({ length: MAX_ENDED_SESSIONS }, (_, i) => ({
    id: `session ${i}`,
    expiresAt,
  }));
  await addEndedSessions(ports, user.id, sessions);
  assert.equal(await isSignedIn(token), true);
  await addEndedSessions(ports, user.id, [{ id: "one more", expiresAt }]);
  assert.equal(await isSignedIn(token), false);
  assert.deepEqual(await list(), new Map());
  assert.equal(await isSignedIn(await start()), true, "a new sign-in works");
});
