import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { createCurrentUser } from "../../../src/core/sessions/current-user.ts";
import {
  createRequireAuth,
  createRequireUser,
  userOfAdmission,
} from "../../../src/core/sessions/require-user.ts";
import { corePorts, signedInOwner } from "../../support/core-ports.ts";

test("requires the setup while no account exists, whatever the token", async (t) => {
  const ports = await corePorts(t);
  const guard = createRequireAuth(
    ports.users,
    createCurrentUser(ports.tokens, ports.users, ports.clock),
  );
  assert.deepEqual(await guard(undefined), { kind: "needs-setup" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-setup" });
});

test("requires a sign-in without a user, and admits a user", async (t) => {
  const { ports, currentUser, token, user } = await signedInOwner(t);
  const guard = createRequireAuth(ports.users, currentUser);
  assert.deepEqual(await guard(undefined), { kind: "needs-sign-in" });
  assert.deepEqual(await guard("a.b.c"), { kind: "forged-token" });
  assert.deepEqual(await guard(token), { kind: "admitted", user });
  assert.deepEqual(guard(token), { kind: "admitted", user }, "and next time without a promise");
  assert.deepEqual(guard(""), { kind: "needs-sign-in" });
  const admissions = [await guard(token), await guard(undefined), await guard("a.b.c")];
  assert.deepEqual(admissions.map(userOfAdmission), [user, undefined, undefined]);
});

test("rejects when the accounts cannot be counted", async (t) => {
  const { ports, currentUser, token } = await signedInOwner(t);
  const anyExists = () => Promise.reject(new Error("unreachable"));
  const guard = createRequireAuth({ ...ports.users, anyExists }, currentUser);
  await assert.rejects(async () => guard(token), /unreachable/);
});

test("rejects, and leaves no rejection unhandled, when the count and the lookup both fail", async (t) => {
  const unhandled = t.mock.fn();
  process.on("unhandledRejection", unhandled);
  t.after(() => process.off("unhandledRejection", unhandled));
  const { ports, token } = await signedInOwner(t);
  const anyExists = () => Promise.reject(new Error("unreachable"));
  const guard = createRequireAuth({ ...ports.users, anyExists }, () => {
    throw new Error("broken");
  });
  await assert.rejects(async () => guard(token), /unreachable|broken/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(unhandled.mock.callCount(), 0);
});

test("does not count accounts in the guard for whole handlers", async (t) => {
  const ports = await corePorts(t);
  const currentUser = createCurrentUser(ports.tokens, ports.users, ports.clock);
  const any = t.mock.method(ports.store.users, "any");
  const guard = createRequireUser(currentUser);
  assert.deepEqual(guard(undefined), { kind: "needs-sign-in" });
  const token = ports.tokens.issue("unknown" as UserId).text;
  assert.deepEqual(await guard(token), { kind: "needs-sign-in" });
  assert.equal(any.mock.callCount(), 0);
});

test("rejects when the user lookup fails", async (t) => {
  const { ports, token } = await signedInOwner(t);
  const find = () => Promise.reject(new Error("unreachable"));
  const currentUser = createCurrentUser(ports.tokens, { ...ports.users, find }, ports.clock);
  await assert.rejects(async () => createRequireUser(currentUser)(token), /unreachable/);
  const requireAuth = createRequireAuth(ports.users, currentUser);
  await assert.rejects(async () => requireAuth(token), /unreachable/);
});
