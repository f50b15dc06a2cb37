import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addUser,
  removeUser,
  renameUser,
  resetPassword,
} from "../../../src/core/accounts/accounts.ts";
import { makeLink } from "../../../src/core/links/make-link.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { NO_PASSWORD } from "../../../src/core/records.ts";
import { hashText } from "../../support/store.ts";
import { type AccountPorts, accountPorts } from "./account-ports.ts";

const PASSWORD = "a good password";

/** A change that is refused changes and records nothing. */
async function refuses(ports: AccountPorts, changing: () => Promise<unknown>, outcome: unknown) {
  const before = await ports.accounts();
  assert.deepEqual(await changing(), outcome);
  assert.deepEqual(await ports.accounts(), before);
  assert.deepEqual(ports.recorded, []);
}

/** Another change comes while the password is hashed. */
const hashingAfter = (ports: AccountPorts, change: () => Promise<unknown>): AccountPorts => ({
  ...ports,
  passwords: {
    ...ports.passwords,
    hash: (...given) => change().then(() => ports.passwords.hash(...given)),
  },
});

test("adds an account with its password and records an entry", async (t) => {
  const ports = await accountPorts(t, "owner");
  const outcome = await addUser(ports, "guest", PASSWORD);
  const stored = await ports.store.users.findByName("guest");
  assert.ok(stored);
  assert.deepEqual(outcome, { kind: "added", user: { id: stored.id, username: "guest" } });
  assert.equal(await ports.passwords.verify(PASSWORD, stored.passwordHash), true);
  assert.equal(ports.passwords.isOutdated(stored.passwordHash), false);
  assert.equal(stored.sessionsFrom, undefined);
  assert.deepEqual(ports.recorded, [eventOf("user_add", { user: stored })]);
});

test("deletes the setup token with the first account only, which closes the setup", async (t) => {
  const ports = await accountPorts(t);
  for (const [username, password, kind, deletions] of [
    ["owner", "1234567", "password-too-short", 0],
    // Eight bytes are enough.
    ["owner", "12345678", "added", 1],
    ["guest", "ääää", "added", 1],
  ] as const) {
    assert.equal((await addUser(ports, username, password)).kind, kind);
    assert.equal(ports.setupToken.deletions, deletions);
  }
  assert.equal(await ports.users.anyExists(), true);
});

test("keeps groups and end, but the first account cannot end", async (t) => {
  const ports = await accountPorts(t);
  const facts = { groups: ["family"], endsAt: new Date(4_000_000_000_000) };
  assert.deepEqual(await addUser(ports, "temp", PASSWORD, facts), { kind: "first-ends" });
  assert.equal((await addUser(ports, "owner", PASSWORD)).kind, "added");
  await addUser(ports, "temp", PASSWORD, facts);
  assert.partialDeepStrictEqual(await ports.store.users.findByName("temp"), facts);
});

for (const [what, username, password, kind] of [
  ["without a username", "", "short", "username-missing"],
  ["with seven bytes for a password", "owner", "1234567", "password-too-short"],
  ["with a taken username", "owner", PASSWORD, "username-taken"],
] as const) {
  test(`adds no account ${what}, returns ${kind} and records nothing`, async (t) => {
    const ports = await accountPorts(t, "owner");
    await refuses(ports, () => addUser(ports, username, password), { kind });
  });
}

test("keeps ID and password of a renamed account and records an entry", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(owner);
  const host = { ...owner, username: "host" };
  assert.equal(await renameUser(ports, await ports.idOf("owner"), "host"), "renamed");
  assert.deepEqual(await ports.accounts(), [guest, host]);
  assert.deepEqual(ports.recorded, [eventOf("user_rename", { user: host })]);
});

for (const [from, to, outcome] of [
  ["unknown", "", "username-missing"],
  ["unknown", "owner", "no-user"],
  ["owner", "guest", "username-taken"],
] as const) {
  test(`refuses to rename "${from}" to "${to}", returns ${outcome} and records nothing`, async (t) => {
    const ports = await accountPorts(t, "guest", "owner");
    const id = await ports.idOf(from);
    await refuses(ports, () => renameUser(ports, id, to), outcome);
  });
}

test("does not rename an account that is removed in the meantime", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  t.mock.method(ports.store.users, "rename", async () => "missing" as const);
  const id = await ports.idOf("owner");
  await refuses(ports, () => renameUser(ports, id, "host"), "no-user");
});

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
    const id = await ports.idOf(username);
    await refuses(ports, () => resetPassword(ports, id, password), outcome);
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
  const id = await ports.idOf("owner");
  const hashing = hashingAfter(ports, () =>
    ports.store.users.replaceHash(id, hashText("hash of owner"), hashText("of the user")),
  );
  assert.equal(await resetPassword(hashing, id, PASSWORD), "reset");
  const [after] = await ports.accounts();
  assert.equal(await ports.passwords.verify(PASSWORD, after?.passwordHash), true);
});

test("reports an account that is removed during the hashing as missing", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const id = await ports.idOf("guest");
  const hashing = hashingAfter(ports, () => ports.store.users.remove(id));
  assert.equal(await resetPassword(hashing, id, PASSWORD), "no-user");
  assert.deepEqual(ports.recorded, []);
});

test("makes no link for an account that is removed in the meantime", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const [guest, owner] = [await ports.idOf("guest"), await ports.idOf("owner")];
  t.mock.method(ports.store.links, "insert", async () => {
    await ports.store.users.remove(guest);
    throw new Error("refused");
  });
  const facts = { purpose: "reset", expiresAt: new Date(0), usesLeft: 1 } as const;
  assert.deepEqual(await makeLink(ports, { ...facts, userId: guest }), { kind: "no-user" });
  await assert.rejects(makeLink(ports, { ...facts, userId: owner }), /refused/);
  assert.deepEqual(ports.recorded, []);
});

test("removes only that account and records an entry", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(guest);
  assert.equal(await removeUser(ports, await ports.idOf("guest")), "removed");
  assert.deepEqual(await ports.accounts(), [owner]);
  assert.deepEqual(ports.recorded, [eventOf("user_remove", { user: guest })]);
});

for (const [username, outcome] of [
  ["owner", "last-user"],
  ["Owner", "no-user"],
] as const) {
  test(`with one account left, removing "${username}" returns ${outcome} and records nothing`, async (t) => {
    const ports = await accountPorts(t, "owner");
    const id = await ports.idOf(username);
    await refuses(ports, () => removeUser(ports, id), outcome);
  });
}
