import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequireUser, createTokenMemory } from "../../../src/core/sessions/require-user.ts";
import { SESSION_LIFETIME_SECONDS } from "../../../src/core/sessions/session-token.ts";
import { sessionRecord } from "../../../src/core/sessions/start-session.ts";
import { createUserMemory } from "../../../src/core/sessions/user-memory.ts";
import type { User, UserId } from "../../../src/db/records.ts";
import { type CorePorts, signedInOwner } from "../../support/core-ports.ts";
import { mint, partsOf } from "../../support/mint.ts";
import { CLIENT, idOf } from "./session-ports.ts";

const NONE = { kind: "needs-sign-in" };
const FORGED = { kind: "forged-token" };
const admitted = (user: User) => ({ kind: "admitted", user, factors: 1 });

test("admits nobody after the token has expired, and drops it from the cache", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const remembered = createTokenMemory();
  const guard = createRequireUser(ports.tokens, ports.memory, ports.clock, { remembered });
  await guard(token);
  ports.clock.advance((SESSION_LIFETIME_SECONDS - 1) * 1_000);
  assert.deepEqual(await guard(token), admitted(user));
  ports.clock.advance(999);
  assert.deepEqual(guard(token), admitted(user));
  assert.equal(remembered.size, 1);
  ports.clock.advance(1);
  assert.deepEqual(await guard(token), NONE);
  assert.equal(remembered.size, 0);
});

test("verifies a genuine token once and one that only begins like it each time", async (t) => {
  const { ports, requireUser: guard, token, user } = await signedInOwner(t);
  const verify = t.mock.method(ports.tokens, "verify");
  for (let i = 0; i < 3; i += 1) {
    const found = guard(token);
    assert.ok(found instanceof Promise, "the user is not cached, or no longer");
    assert.deepEqual(await found, admitted(user));
    for (const forged of [`${token}A`, token.slice(0, -8)]) {
      assert.deepEqual(await guard(forged), FORGED);
    }
    ports.clock.advance(1_000);
  }
  const wereGenuine = verify.mock.calls.map(({ arguments: [text] }) => text === token);
  assert.deepEqual(wereGenuine, [true, ...Array(6).fill(false)]);
});

test("caches a token with less than a second left only until it expires", async (t) => {
  const { ports, requireUser: guard, user } = await signedInOwner(t);
  const token = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 60 });
  ports.clock.advance(59_900);
  assert.deepEqual(await guard(token), admitted(user));
  ports.clock.advance(99);
  assert.deepEqual(guard(token), admitted(user), "from memory");
  ports.clock.advance(1);
  assert.deepEqual(await guard(token), NONE);
  assert.deepEqual(await guard(token), NONE, "asked again");
});

test("notices a changed system clock for each session of a user", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  let set = 0;
  const clock = { ...ports.clock, now: () => ports.clock.now() + set };
  const users = createUserMemory({ users: ports.store.users }, clock);
  const guard = createRequireUser(ports.tokens, users, clock);
  const later = mint({ user_id: user.id, exp: Math.floor(ports.clock.now() / 1_000) + 10 ** 8 });
  await guard(token);
  await guard(later);
  set = SESSION_LIFETIME_SECONDS * 1_000;
  for (let passed = 0; passed < 1_000; passed += 100) {
    ports.clock.advance(100);
    assert.deepEqual(await guard(later), admitted(user));
  }
  assert.deepEqual(await guard(token), NONE);
});

test("looks a forgotten user up again for each of their sessions", async (t) => {
  const { ports, requireUser: guard, token, user } = await signedInOwner(t);
  const other = ports.tokens.issue(user.id).text;
  await guard(token);
  await guard(other);
  assert.deepEqual(guard(other), admitted(user), "from memory");
  ports.memory.forget(user.id);
  assert.ok(guard(token) instanceof Promise);
  ports.memory.forget(user.id);
  assert.ok(guard(other) instanceof Promise);
});

test("uses neither the user memory nor the system clock when token and user are cached", async (t) => {
  const { ports, token, user } = await signedInOwner(t);
  const find = t.mock.fn(ports.memory.find);
  const now = t.mock.fn(ports.clock.now);
  const guard = createRequireUser(ports.tokens, { ...ports.memory, find }, { ...ports.clock, now });
  await guard(token);
  const asked = now.mock.callCount();
  for (let i = 0; i < 3; i += 1) assert.deepEqual(guard(token), admitted(user));
  assert.deepEqual([find.mock.callCount(), now.mock.callCount()], [1, asked]);
});

/** A guard, and the IDs of the sessions that it notes as used. */
function notingUses({ tokens, memory, clock }: CorePorts) {
  const used: string[] = [];
  const recorder = { used: (id: string) => void used.push(id) };
  const guard = createRequireUser(tokens, memory, clock, { recorder });
  return { used, guard };
}

test("notes the use of a session once an hour, and not on every request", async (t) => {
  const { ports, token } = await signedInOwner(t);
  const { used, guard } = notingUses(ports);
  const { jti } = partsOf(token).claims;
  for (let minute = 0; minute < 60; minute += 1) {
    await guard(token);
    guard(token);
    ports.clock.advance(60_000);
  }
  assert.deepEqual(used, [jti]);
  await guard(token);
  assert.deepEqual(used, [jti, jti]);
});

test("does not note the use of a session that is refused, or of one without an ID", async (t) => {
  const { ports, user } = await signedInOwner(t);
  const { used, guard } = notingUses(ports);
  await guard(ports.tokens.issue("unknown" as UserId).text);
  const withoutId = mint({ user_id: user.id, exp: ports.clock.now() / 1_000 + 60 });
  assert.deepEqual(await guard(withoutId), admitted(user));
  assert.deepEqual(used, []);
});

test("reads whether a session has ended with its user, and not again while that is remembered", async (t) => {
  const { ports, token, user, requireUser: guard } = await signedInOwner(t);
  const hasEnded = t.mock.method(ports.store.sessions, "hasEnded");
  for (let i = 0; i < 3; i += 1) assert.deepEqual(await guard(token), admitted(user));
  assert.equal(hasEnded.mock.callCount(), 1);
  ports.clock.advance(1_000);
  const ended = sessionRecord(ports.tokens.issue(user.id), ports.clock.now(), CLIENT);
  await ports.store.sessions.end({ ...ended, id: idOf(token) }, new Date(ports.clock.now()));
  assert.deepEqual(await guard(token), NONE);
  assert.deepEqual(await guard(token), NONE);
});
