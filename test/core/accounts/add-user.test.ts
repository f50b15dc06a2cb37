import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../../../src/core/accounts/add-user.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { accountPorts } from "./account-ports.ts";

const PASSWORD = "a good password";

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
    const before = await ports.accounts();
    assert.deepEqual(await addUser(ports, username, password), { kind });
    assert.deepEqual(await ports.accounts(), before);
    assert.deepEqual(ports.recorded, []);
  });
}
