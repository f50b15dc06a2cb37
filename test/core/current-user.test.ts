import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCurrentUser } from "../../src/core/current-user.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/core/session-token.ts";
import type { UserId } from "../../src/core/store.ts";
import { corePorts } from "../support/core-ports.ts";
import { hashText } from "../support/store.ts";

async function signedInOwner(t: TestContext) {
  const ports = await corePorts(t);
  const { id, username } = await ports.insertOwner(hashText("a hash"));
  const token = await ports.tokens.issue(id);
  const currentUser = createCurrentUser(ports.tokens, ports.users);
  return { ports, token, user: { id, username }, currentUser };
}

test("a token leads to its user; once both are remembered, without a promise", async (t) => {
  const { currentUser, token, user } = await signedInOwner(t);
  const first = currentUser(token);
  assert.ok(first instanceof Promise);
  assert.deepEqual(await first, user);
  assert.deepEqual(currentUser(token), user);
});

test("a remembered token still asks for its user when that is no longer remembered", async (t) => {
  const { ports, currentUser, token, user } = await signedInOwner(t);
  await currentUser(token);
  ports.clock.advance(1_000);
  const again = currentUser(token);
  assert.ok(again instanceof Promise);
  assert.deepEqual(await again, user);
});

test("a remembered user does not outlive the token", async (t) => {
  const { ports, currentUser, token, user } = await signedInOwner(t);
  await currentUser(token);
  ports.clock.advance((SESSION_LIFETIME_SECONDS - 1) * 1_000);
  assert.deepEqual(await currentUser(token), user);
  ports.clock.advance(999);
  assert.deepEqual(currentUser(token), user);
  ports.clock.advance(1);
  assert.equal(await currentUser(token), undefined);
});

test("no token, an empty one, a forged one or one of an unknown user: nobody", async (t) => {
  const { ports, currentUser } = await signedInOwner(t);
  assert.equal(currentUser(undefined), undefined);
  assert.equal(currentUser(""), undefined);
  assert.equal(await currentUser("a.b.c"), undefined);
  assert.equal(await currentUser(await ports.tokens.issue("unknown" as UserId)), undefined);
});

test("a store that fails is not taken for nobody: the failure is passed on", async (t) => {
  const { ports, token } = await signedInOwner(t);
  const find = () => Promise.reject(new Error("unreachable"));
  const currentUser = createCurrentUser(ports.tokens, { ...ports.users, find });
  await assert.rejects(async () => currentUser(token), /unreachable/);
});
