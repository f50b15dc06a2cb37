import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import { NO_PASSWORD, UNSET_PASSWORD, type UserId } from "../../../src/db/records.ts";
import {
  addUser,
  listPeople,
  removeUser,
  renameUser,
  resetPassword,
} from "../../../src/features/people/accounts.ts";
import { hashingAfter } from "../../support/core-services.ts";
import { hashText } from "../../support/store.ts";
import { createAccountServices, type TestAccountServices } from "./account-services.ts";

const PASSWORD = "a good password";

/** A change that is refused changes and records nothing. */
async function refuses(
  ports: TestAccountServices,
  changing: () => Promise<unknown>,
  outcome: unknown,
) {
  const before = await ports.accounts();
  assert.deepEqual(await changing(), outcome);
  assert.deepEqual(await ports.accounts(), before);
  assert.deepEqual(ports.recorded, []);
}

test("adds an account with its password and records an entry", async (t) => {
  const ports = await createAccountServices(t, "owner");
  const outcome = await addUser(ports, "guest", PASSWORD);
  const stored = await ports.store.users.findByName("guest");
  assert.ok(stored);
  assert.deepEqual(outcome, { kind: "added", user: { id: stored.id, username: "guest" } });
  assert.equal(await ports.passwords.verify(PASSWORD, stored.passwordHash), true);
  assert.equal(ports.passwords.isOutdated(stored.passwordHash), false);
  assert.equal(stored.sessionsFrom, undefined);
  assert.deepEqual(ports.recorded, [createAuditEvent("user_add", { user: stored })]);
});

test("deletes the setup token with the first account only, which closes the setup", async (t) => {
  const ports = await createAccountServices(t);
  for (const [username, password, kind, deletions] of [
    ["owner", "1234567", "password-too-short", 0],
    // Eight bytes are enough.
    ["owner", "12345678", "added", 1],
    ["guest", "ääää", "added", 1],
  ] as const) {
    assert.equal((await addUser(ports, username, password)).kind, kind);
    assert.equal(ports.setupToken.deletions, deletions);
  }
  assert.equal(await ports.credentialCache.anyExists(), true);
});

test("keeps groups and end, but the first account cannot end", async (t) => {
  const ports = await createAccountServices(t);
  const facts = { groups: ["family"], endsAt: new Date(4_000_000_000_000) };
  assert.deepEqual(await addUser(ports, "temp", PASSWORD, facts), { kind: "first-ends" });
  const first = await addUser(ports, "owner", PASSWORD, { endsAt: null as never });
  assert.equal(first.kind, "added");
  await addUser(ports, "temp", undefined, { ...facts, groups: ["family", ""] });
  const inserting = t.mock.method(ports.store.users, "insert");
  await addUser(ports, "endless", undefined, { groups: [""], endsAt: null as never });
  const [endless] = inserting.mock.calls[0]?.arguments ?? [];
  assert.deepEqual(endless, { username: "endless", passwordHash: UNSET_PASSWORD });
  const [, , temp] = await ports.accounts();
  const { id = "", ...added } = temp ?? {};
  assert.deepEqual(added, { username: "temp", passwordHash: UNSET_PASSWORD, ...facts });
  assert.equal(await resetPassword(ports, id as UserId, PASSWORD), "reset");
});

test("adds no account with a wrong or taken name, a short password or wrong groups", async (t) => {
  const ports = await createAccountServices(t, "owner");
  for (const [username, password, kind] of [
    ["", "short", "username-missing"],
    ["owner", "1234567", "password-too-short"],
    ["owner", PASSWORD, "username-taken"],
  ] as const) {
    await refuses(ports, () => addUser(ports, username, password), { kind });
    const groups = ["no spaces"];
    const adding = () => addUser(ports, username, password, { groups });
    await refuses(ports, adding, { kind: "groups-invalid" });
  }
});

test("keeps ID and password of a renamed account and records an entry", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(owner);
  const host = { ...owner, username: "host" };
  assert.equal(await renameUser(ports, await ports.idOf("owner"), "host"), "renamed");
  assert.deepEqual(await ports.accounts(), [guest, host]);
  assert.deepEqual(ports.recorded, [createAuditEvent("user_rename", { user: host })]);
});

test("renames no unknown or removed account, and none to a name in use", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const owner = await ports.idOf("owner");
  for (const [from, to, outcome] of [
    ["unknown", "", "username-missing"],
    ["unknown", "owner", "no-user"],
    ["owner", "guest", "username-taken"],
  ] as const) {
    const id = await ports.idOf(from);
    await refuses(ports, () => renameUser(ports, id, to), outcome);
  }
  await assert.rejects(renameUser(ports, owner, 5 as never), { code: "invalid_option" });
  t.mock.method(ports.store.users, "rename", async () => "missing" as const);
  await refuses(ports, () => renameUser(ports, owner, "host"), "no-user");
});

test("sets the new password whatever the old hash, and records an entry", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(owner);
  assert.equal(await resetPassword(ports, await ports.idOf("owner"), PASSWORD), "reset");
  const [guestAfter, ownerAfter] = await ports.accounts();
  assert.equal(await ports.passwords.verify(PASSWORD, ownerAfter?.passwordHash), true);
  assert.deepEqual(guestAfter, guest);
  assert.deepEqual(ownerAfter, { ...owner, passwordHash: ownerAfter?.passwordHash }, "no sign-out");
  assert.deepEqual(ports.recorded, [createAuditEvent("user_password", { user: owner })]);
});

test("sets no password of an unknown user or a guest, and none of seven bytes", async (t) => {
  const ports = await createAccountServices(t, "owner");
  await ports.store.users.insert({ username: "guest", passwordHash: NO_PASSWORD });
  for (const [username, password, outcome] of [
    ["Owner", PASSWORD, "no-user"],
    ["unknown", "short", "no-user"],
    ["owner", "1234567", "password-too-short"],
    ["guest", PASSWORD, "guest"],
  ] as const) {
    const id = await ports.idOf(username);
    await refuses(ports, () => resetPassword(ports, id, password), outcome);
  }
});

test("sets the new password over one that the user sets during the hashing", async (t) => {
  const ports = await createAccountServices(t, "owner");
  const id = await ports.idOf("owner");
  const hashing = hashingAfter(ports, () =>
    ports.store.users.replaceHash(id, hashText("hash of owner"), hashText("of the user")),
  );
  assert.equal(await resetPassword(hashing, id, PASSWORD), "reset");
  const [after] = await ports.accounts();
  assert.equal(await ports.passwords.verify(PASSWORD, after?.passwordHash), true);
});

test("reports an account that is removed during the hashing as missing", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const id = await ports.idOf("guest");
  const hashing = hashingAfter(ports, () => ports.store.users.remove(id));
  assert.equal(await resetPassword(hashing, id, PASSWORD), "no-user");
  assert.deepEqual(ports.recorded, []);
});

test("removes only that account and records an entry", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = await ports.accounts();
  assert.ok(guest);
  assert.equal(await removeUser(ports, await ports.idOf("guest")), "removed");
  assert.deepEqual(await ports.accounts(), [owner]);
  assert.deepEqual(ports.recorded, [createAuditEvent("user_remove", { user: guest })]);
});

test("removes no unknown account, not the last one, and not the last administrator", async (t) => {
  const ports = await createAccountServices(t, "owner");
  const owner = await ports.idOf("owner");
  await refuses(ports, () => removeUser(ports, owner), "last-user");
  await refuses(ports, () => removeUser(ports, "unknown" as UserId), "no-user");
  await ports.store.users.setGroups(owner, ["admins"]);
  await ports.store.users.insert({ username: "guest", passwordHash: UNSET_PASSWORD });
  await refuses(ports, () => removeUser({ ...ports, keep: "an-admin" }, owner), "last-admin");
  t.mock.method(ports.store.users, "remove", async () => "missing" as const);
  await refuses(ports, () => removeUser(ports, owner), "no-user");
});

test("lists people in pages of 25, by a part of the name, forward and back", async (t) => {
  const usernames = Array.from({ length: 50 }, (_, n) => `p${100 + n}`);
  const ports = await createAccountServices(t, ...usernames, "owner");
  for (const [search, key, first, count, before, after] of [
    ["", {}, "owner", 25, undefined, "p123"],
    ["", { after: "p123" }, "p124", 25, "p124", "p148"],
    ["", { after: "p148" }, "p149", 1, "p149", undefined],
    ["", { before: "p149" }, "p124", 25, "p124", "p148"],
    ["", { before: "p124" }, "owner", 25, undefined, "p123"],
    ["p", { after: "p124" }, "p125", 25, "p125", undefined],
    ["", { after: "p149" }, "owner", 25, undefined, "p123"],
    ["p", { before: "p" }, "p100", 25, undefined, "p124"],
    ["nobody", { after: "p" }, undefined, 0, undefined, undefined],
  ] as const) {
    const page = await listPeople(ports, search, key);
    const found = [page.people[0]?.user.username, page.people.length, page.before, page.after];
    assert.deepEqual(found, [first, count, before, after], `${search} ${JSON.stringify(key)}`);
  }
});
