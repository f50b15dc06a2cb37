import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_PASSWORD, type UserId } from "../../../src/core/records.ts";
import {
  createRequireAuth,
  createRequireUser,
  userOfAdmission,
} from "../../../src/core/sessions/require-user.ts";
import { createUserMemory, type RequiredFactor } from "../../../src/core/sessions/user-memory.ts";
import { corePorts, signedInOwner } from "../../support/core-ports.ts";
import { strayFaults } from "../../support/faults.ts";

test("requires the setup while no account exists, whatever the token", async (t) => {
  const ports = await corePorts(t);
  const requireUser = createRequireUser(ports.tokens, ports.memory, ports.clock);
  const guard = createRequireAuth(ports.memory, requireUser);
  assert.deepEqual(await guard(undefined), { kind: "needs-setup" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-setup" });
});

test("requires a sign-in without a user, and admits a user", async (t) => {
  const { ports, requireUser, token, user } = await signedInOwner(t);
  const guard = createRequireAuth(ports.memory, requireUser);
  assert.deepEqual(await guard(undefined), { kind: "needs-sign-in" });
  assert.deepEqual(await guard("a.b.c"), { kind: "forged-token" });
  const admitted = { kind: "admitted", user, factors: 1 };
  assert.deepEqual(await guard(token), admitted);
  assert.deepEqual(guard(token), admitted, "and next time without a promise");
  assert.deepEqual(guard(""), { kind: "needs-sign-in" });
  const admissions = [await guard(token), await guard(undefined), await guard("a.b.c")];
  assert.deepEqual(admissions.map(userOfAdmission), [user, undefined, undefined]);
});

test("rejects, and leaves no rejection unhandled, when the count and the lookup both fail", async (t) => {
  const faults = strayFaults(t);
  const { ports, token } = await signedInOwner(t);
  const anyExists = () => Promise.reject(new Error("unreachable"));
  const guard = createRequireAuth({ ...ports.memory, anyExists }, () => {
    throw new Error("broken");
  });
  await assert.rejects(async () => guard(token), /unreachable|broken/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(faults, []);
});

test("admits nobody with a session that only one host accepts, and says which host that is", async (t) => {
  const { ports, user, requireUser: guard, token } = await signedInOwner(t);
  const own = ports.tokens.verify(token);
  assert.ok(typeof own === "object");
  const bound = ports.tokens.sign({ ...own, host: "photos.other.test" }).text;
  const admission = await guard(bound);
  const there = { kind: "admitted", user, factors: 1 };
  assert.deepEqual(admission, { kind: "bound", host: "photos.other.test", there });
  assert.equal(userOfAdmission(admission), undefined);
  const again = await guard(bound);
  assert.equal(again, admission);
  assert.equal((await guard(token)).kind, "admitted");
  ports.clock.advance(2_000);
  assert.equal((await guard(bound)).kind, "bound", "also when the user was read again");
});

test("what the account needs and the session has proven decides who is admitted", async (t) => {
  const { ports, user, token } = await signedInOwner(t);
  const proven = ports.tokens.issue(user.id, 0, 2).text;
  const decided: readonly (readonly [RequiredFactor, object, object])[] = [
    ["optional", { kind: "admitted", user, factors: 1 }, { kind: "admitted", user, factors: 2 }],
    ["required", { kind: "factor-unproven" }, { kind: "admitted", user, factors: 2 }],
    ["missing", { kind: "factor-missing", user }, { kind: "factor-missing", user }],
  ];
  for (const [needed, withOne, withTwo] of decided) {
    const users = createUserMemory(ports.store, ports.clock, async () => needed);
    const guard = createRequireUser(ports.tokens, users, ports.clock);
    assert.deepEqual([await guard(token), await guard(proven)], [withOne, withTwo], needed);
    const isRemembered = !(users.find(user.id) instanceof Promise);
    assert.equal(isRemembered, needed !== "missing", "it may be turned on elsewhere");
  }
});

test("never admits a guest, whom only apps may let in", async (t) => {
  const { ports, user, requireUser: guard, token } = await signedInOwner(t);
  const { passwordHash = NO_PASSWORD } = (await ports.store.users.find(user.id)) ?? {};
  await ports.store.users.replaceHash(user.id, passwordHash, NO_PASSWORD);
  const guest = { ...user, guest: true };
  assert.deepEqual(await guard(token), { kind: "guest", user: guest, factors: 1 });
});

test("does not count accounts in the guard for whole handlers", async (t) => {
  const ports = await corePorts(t);
  const any = t.mock.method(ports.store.users, "any");
  const guard = createRequireUser(ports.tokens, ports.memory, ports.clock);
  assert.deepEqual(guard(undefined), { kind: "needs-sign-in" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-sign-in" });
  assert.equal(any.mock.callCount(), 0);
});
