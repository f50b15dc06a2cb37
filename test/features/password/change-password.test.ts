import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PasswordHash, UserId } from "../../../src/db/records.ts";
import {
  type ChangePasswordForm,
  changePassword,
} from "../../../src/features/password/change-password.ts";
import { createCoreServices, hashingAfter } from "../../support/core-services.ts";
import { OWNER } from "../../support/gate.ts";

const CLIENT = { remoteAddress: "192.0.2.1" };
const NEW = "a new password";

const formWith = (fields: Partial<ChangePasswordForm> = {}): ChangePasswordForm => ({
  currentPassword: OWNER.password,
  newPassword: NEW,
  confirmPassword: fields.newPassword ?? NEW,
  ...fields,
});

async function withOwner(t: TestContext) {
  const ports = await createCoreServices(t);
  const owner = await ports.insertOwner();
  const storedHash = async () => (await ports.store.users.find(owner.id))?.passwordHash;
  const change = async (fields?: Partial<ChangePasswordForm>): Promise<string> =>
    (await changePassword(ports, owner.id, formWith(fields), CLIENT)).kind;
  /** Another request replaces the stored hash during the change. */
  const changeWhileReplacing = async (by: PasswordHash): Promise<string> => {
    const replace = () => ports.store.users.replaceHash(owner.id, owner.passwordHash, by);
    const racing = hashingAfter(ports, replace);
    return (await changePassword(racing, owner.id, formWith(), CLIENT)).kind;
  };
  return { ports, owner, storedHash, change, changeWhileReplacing };
}

test("replaces the old password, forgets the cached user and records an entry", async (t) => {
  const { ports, owner, storedHash, change } = await withOwner(t);
  const forget = t.mock.method(ports.credentialCache, "forget");
  assert.equal(await change(), "changed");
  assert.deepEqual(
    forget.mock.calls.map(({ arguments: [account] }) => account),
    [owner.id],
  );
  const hash = await storedHash();
  assert.equal(await ports.passwords.verify(NEW, hash), true);
  assert.equal(await ports.passwords.verify(OWNER.password, hash), false);
  assert.deepEqual(await ports.writtenEntries(), ["password_change: Changed password"]);
});

test("checks in order: no user, missing, incorrect, different, too short", async (t) => {
  const { ports, owner, storedHash, change } = await withOwner(t);
  const wrong = { currentPassword: "wrong", newPassword: "short", confirmPassword: "other" };
  const missing = formWith({ ...wrong, newPassword: "" });
  const outcome = await changePassword(ports, "gone" as UserId, missing, CLIENT);
  assert.deepEqual(outcome, { kind: "no-user" });
  assert.equal(await change(missing), "field-missing");
  assert.equal(await change({ ...wrong, currentPassword: "" }), "field-missing");
  assert.equal(await change(wrong), "current-password-incorrect");
  const known = { ...wrong, currentPassword: OWNER.password };
  assert.equal(await change(known), "new-passwords-differ");
  assert.equal(await change({ ...known, confirmPassword: "short" }), "new-password-too-short");
  assert.equal(await storedHash(), owner.passwordHash);
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("does not overwrite a hash that was replaced in the meantime", async (t) => {
  const { ports, storedHash, changeWhileReplacing } = await withOwner(t);
  const faster = await ports.passwords.hash("the faster password");
  assert.equal(await changeWhileReplacing(faster), "current-password-incorrect");
  assert.equal(await storedHash(), faster);
  assert.deepEqual(await ports.writtenEntries(), []);
});

test("replaces a hash that a sign-in has rehashed in the meantime", async (t) => {
  const { ports, storedHash, changeWhileReplacing } = await withOwner(t);
  const renewed = await ports.passwords.hash(OWNER.password);
  assert.equal(await changeWhileReplacing(renewed), "changed");
  assert.equal(await ports.passwords.verify(NEW, await storedHash()), true);
  assert.deepEqual(await ports.writtenEntries(), ["password_change: Changed password"]);
});

test("tries only twice, however often the hash is replaced in the meantime", async (t) => {
  const { ports, change } = await withOwner(t);
  const { mock } = t.mock.method(ports.store.users, "replaceHash", async () => false);
  assert.deepEqual([await change(), mock.callCount()], ["current-password-incorrect", 2]);
});

test("finds no user who was removed in the meantime", async (t) => {
  const { ports, change } = await withOwner(t);
  t.mock.method(ports.store.users, "replaceHash", async () => {
    t.mock.method(ports.store.users, "findActive", async () => undefined);
    return false;
  });
  assert.equal(await change(), "no-user");
});
