import assert from "node:assert/strict";
import { test } from "node:test";
import { removeUser } from "../../../src/core/accounts/remove-user.ts";
import { eventOf } from "../../../src/core/log/events.ts";
import { accountPorts } from "./account-ports.ts";

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
    const before = await ports.accounts();
    assert.equal(await removeUser(ports, await ports.idOf(username)), outcome);
    assert.deepEqual(await ports.accounts(), before);
    assert.deepEqual(ports.recorded, []);
  });
}
