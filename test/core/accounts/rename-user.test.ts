import assert from "node:assert/strict";
import { test } from "node:test";
import { renameUser } from "../../../src/core/accounts/rename-user.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { accountPorts } from "./account-ports.ts";

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
    const before = await ports.accounts();
    assert.equal(await renameUser(ports, await ports.idOf(from), to), outcome);
    assert.deepEqual(await ports.accounts(), before);
    assert.deepEqual(ports.recorded, []);
  });
}

test("does not rename an account that is removed in the meantime", async (t) => {
  const ports = await accountPorts(t, "guest", "owner");
  t.mock.method(ports.store.users, "rename", async () => "missing" as const);
  assert.equal(await renameUser(ports, await ports.idOf("owner"), "host"), "no-user");
  assert.deepEqual(ports.recorded, []);
});
