import assert from "node:assert/strict";
import { test } from "node:test";
import type { User, UserId } from "../../../src/core/records.ts";
import { createCurrentUser, createTokenMemory } from "../../../src/core/sessions/current-user.ts";
import { sessionRecord } from "../../../src/core/sessions/session-record.ts";
import { SESSION_LIFETIME_SECONDS } from "../../../src/core/sessions/session-token.ts";
import { createUserMemory } from "../../../src/core/sessions/user-memory.ts";
import { type CorePorts, signedInOwner } from "../../support/core-ports.ts";
import { mint, partsOf } from "../../support/mint.ts";
import { CLIENT, idOf } from "./session-ports.ts";

const admitted = (user: User) => ({ kind: "admitted", user, factors: 1 });

test("returns no user after the token has expired, and drops it from the cache", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const remembered = createTokenMemory();
  const currentUser = createCurrentUser(ports.tokens, ports.users, ports.clock, { remembered });
  await currentUser(token);
  ports.clock.advance((SESSION_LIFETIME_SECONDS - 1) * 1_000);
  assert.deepEqual(await currentUser(token), admitted(user));
  ports.clock.advance(999);
  assert.deepEqual(currentUser(token), admitted(user));
  assert.equal(remembered.size, 1);
  ports.clock.advance(1);
  assert.equal(await currentUser(token), undefined);
  assert.equal(remembered.size, 0);
});

test("returns no user for a missing, empty or forged token or an unknown user, and which are forged", async (t) => {
  const { ports, currentUser } = await signedInOwner(t);
  assert.equal(currentUser(undefined), undefined);
  assert.equal(currentUser(""), undefined);
  assert.equal(await currentUser("a.b.c"), "forged");
  assert.equal(await currentUser(ports.tokens.issue("unknown" as UserId).text), undefined);
});

test("verifies a genuine token once and one that only begins like it each time", async (t) => {
  const { ports, currentUser, token, user } = await signedInOwner(t);
  const verify = t.mock.method(ports.tokens, "verify");
  for (let i = 0; i < 3; i += 1) {
    const found = currentUser(token);
    assert.ok(found instanceof Promise, "the user is not cached, or no longer");
    assert.deepEqual(await found, admitted(user));
    for (const forged of [`${token}A`, token.slice(0, -8)]) {
      assert.equal(await currentUser(forged), "forged");
    }
    ports.clock.advance(1_000);
  }
  const wereGenuine = verify.mock.calls.map(({ arguments: [text] }) => text === token);
  assert.deepEqual(wereGenuine, [true, ...Array(6).fill(false)]);
});

test("caches a token with less than a second left only until it expires", async (t) => {
  const { ports, currentUser, user } = await signedInOwner(t);
  const token = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 60 });
  ports.clock.advance(59_900);
  assert.deepEqual(await currentUser(token), admitted(user));
  ports.clock.advance(99);
  assert.deepEqual(currentUser(token), admitted(user), "from memory");
  ports.clock.advance(1);
  assert.equal(await currentUser(token), undefined);
  assert.equal(await currentUser(token), undefined, "asked again");
});

test("notices a changed system clock for each session of a user", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  let set = 0;
  const clock = { ...ports.clock, now: () => ports.clock.now() + set };
  // A store that reports changes, so that a user is cached for longer than a second.
  const changes = {
    watch: () => ({ confirmedAt: clock.monotonic, close: async () => {} }),
  };
  const users = createUserMemory({ users: ports.store.users, changes }, clock);
  const currentUser = createCurrentUser(ports.tokens, users, clock);
  const later = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 10 ** 8 });
  await currentUser(token);
  await currentUser(later);
  set = SESSION_LIFETIME_SECONDS * 1_000;
  for (let passed = 0; passed < 1_000; passed += 100) {
    ports.clock.advance(100);
    assert.deepEqual(await currentUser(later), admitted(user));
  }
  assert.equal(await currentUser(token), undefined);
});

test("looks a forgotten user up again for each of their sessions", async (t) => {
  const { ports, currentUser, token, user } = await signedInOwner(t);
  const other = ports.tokens.issue(user.id).text;
  await currentUser(token);
  await currentUser(other);
  assert.deepEqual(currentUser(other), admitted(user), "from memory");
  ports.users.forget(user.id);
  assert.ok(currentUser(token) instanceof Promise);
  ports.users.forget(user.id);
  assert.ok(currentUser(other) instanceof Promise);
});

test("uses neither the user memory nor the system clock when token and user are cached", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const find = t.mock.fn(ports.users.find);
  const now = t.mock.fn(ports.clock.now);
  const currentUser = createCurrentUser(
    ports.tokens,
    { ...ports.users, find },
    { ...ports.clock, now },
  );
  await currentUser(token);
  const asked = now.mock.callCount();
  for (let i = 0; i < 3; i += 1) assert.deepEqual(currentUser(token), admitted(user));
  assert.deepEqual([find.mock.callCount(), now.mock.callCount()], [1, asked]);
});

/** A function that finds users, and the IDs of the sessions that it notes as used. */
function notingUses({ tokens, users, clock }: CorePorts) {
  const used: string[] = [];
  const recorder = { used: (id: string) => void used.push(id) };
  const currentUser = createCurrentUser(tokens, users, clock, { recorder });
  return { used, currentUser };
}

test("notes the use of a session once an hour, and not on every request", async (t) => {
  const { ports, token } = await signedInOwner(t);
  const { used, currentUser } = notingUses(ports);
  const { jti } = partsOf(token).claims;
  for (let minute = 0; minute < 60; minute += 1) {
    await currentUser(token);
    currentUser(token);
    ports.clock.advance(60_000);
  }
  assert.deepEqual(used, [jti]);
  await currentUser(token);
  assert.deepEqual(used, [jti, jti]);
});

test("does not note the use of a session that is refused, or of one without an ID", async (t) => {
  const { ports, user } = await signedInOwner(t);
  const { used, currentUser } = notingUses(ports);
  await currentUser(ports.tokens.issue("unknown" as UserId).text);
  const withoutId = mint({ user_id: user.id, exp: ports.clock.now() / 1_000 + 60 });
  assert.deepEqual(await currentUser(withoutId), admitted(user));
  assert.deepEqual(used, []);
});

test("reads whether a session has ended with its user, and not again while that is remembered", async (t) => {
  const { ports, token, user, currentUser } = await signedInOwner(t);
  const hasEnded = t.mock.method(ports.store.sessions, "hasEnded");
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await currentUser(token), admitted(user));
  assert.equal(hasEnded.mock.callCount(), 1);
  ports.clock.advance(1_000);
  const ended = sessionRecord(ports.tokens.issue(user.id), ports.clock.now(), CLIENT);
  await ports.store.sessions.end({ ...ended, id: idOf(token) }, new Date(ports.clock.now()));
  assert.equal(await currentUser(token), undefined);
  assert.equal(await currentUser(token), undefined);
});

test("admits nobody if the store does not say whether the session has ended", async (t) => {
  const { ports, token } = await signedInOwner(t);
  for (const answer of [undefined, null, 0, "no"]) {
    const store = { hasEnded: async () => answer as unknown as boolean };
    const currentUser = createCurrentUser(ports.tokens, ports.users, ports.clock, { store });
    await assert.rejects(async () => currentUser(token), { code: "store_broken" });
  }
});
