import assert from "node:assert/strict";
import { test } from "node:test";
import { resetPassword } from "../../../src/core/accounts/reset-password.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { NO_PASSWORD } from "../../../src/core/records.ts";
import { hashText } from "../../support/store.ts";
import { accountPorts } from "./account-ports.ts";

const PASSWORD = "a good password";

test("sets the new password whatever the old hash, changes nothing else, and records an entry", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(owner);
  assert.equal(await resetPassword(ports, await ports.idOf("owner"), PASSWORD), "reset");
  const [guestAfter, ownerAfter] = await ports.accounts();
  assert.equal(await ports.passwords.verify(PASSWORD, ownerAfter?.passwordHash), true);
  assert.deepEqual(guestAfter, guest);
  assert.deepEqual(ownerAfter, { ...owner, passwordHash: ownerAfter?.passwordHash }, "no sign-out");
  assert.deepEqual(ports.recorded, [eventOf("user_password", { user: owner })]);
});

for (const [what, username, password, outcome] of [
  ["of an unknown user", "Owner", PASSWORD, "no-user"],
  ["of an unknown user, if it is short", "unknown", "short", "no-user"],
  ["to seven bytes", "owner", "1234567", "password-too-short"],
] as const) {
  test(`does not set the password ${what}, returns ${outcome} and records nothing`, async (t) => {
    const ports = await accountPorts(t, "owner");
    const before = await ports.accounts();
    assert.equal(await resetPassword(ports, await ports.idOf(username), password), outcome);
    assert.deepEqual(await ports.accounts(), before);
    assert.deepEqual(ports.recorded, []);
  });
}

test("does not make an account of a guest", async (t) => {
  const ports = await accountPorts(t, "owner");
  const guest = await ports.store.users.insert({ username: "g", passwordHash: NO_PASSWORD });
  assert.ok(guest);
  assert.equal(await resetPassword(ports, guest.id, PASSWORD), "guest");
  assert.equal((await ports.store.users.find(guest.id))?.passwordHash, NO_PASSWORD);
  assert.deepEqual(ports.recorded, []);
});

test("sets the new password over one that the user sets during the hashing", async (t) => {
  const ports = await accountPorts(t, "owner");
  const [owner] = await ports.accounts();
  const passwords = {
    async hash(password: string) {
      assert.ok(owner);
      await ports.store.users.replaceHash(owner.id, owner.passwordHash, hashText("of the user"));
      return ports.passwords.hash(password);
    },
  };
  const id = await ports.idOf("owner");
  assert.equal(await resetPassword({ ...ports, passwords }, id, PASSWORD), "reset");
  const [after] = await ports.accounts();
  assert.equal(await ports.passwords.verify(PASSWORD, after?.passwordHash), true);
});

test("reports an account that is removed during the hashing as missing", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const [guest] = await ports.accounts();
  const passwords = {
    async hash(password: string) {
      assert.equal(guest && (await ports.store.users.remove(guest.id)), "removed");
      return ports.passwords.hash(password);
    },
  };
  const id = await ports.idOf("guest");
  assert.equal(await resetPassword({ ...ports, passwords }, id, PASSWORD), "no-user");
  assert.deepEqual(ports.recorded, []);
});
