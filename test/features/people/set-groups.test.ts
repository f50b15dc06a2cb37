import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import type { UserId } from "../../../src/db/records.ts";
import { setGroups } from "../../../src/features/people/set-groups.ts";
import { isAdmin, normalizeGroups } from "../../../src/identity/groups.ts";
import { createAccountServices } from "./account-services.ts";

const names = (count: number) => Array.from({ length: count }, (_, n) => `g${100 + n}`);

test("groups are sorted names, each once, at most 32", () => {
  for (const [given, groups] of [
    [[], []],
    [
      ["b", "", "a", "b"],
      ["a", "b"],
    ],
    [names(32), names(32)],
    [
      ["0-a", "x".repeat(32)],
      ["0-a", "x".repeat(32)],
    ],
    [[...names(32), "g100", ""], names(32)],
    ...[
      names(33),
      ["Family"],
      ["a", "no spaces"],
      ["a,b"],
      ["-a"],
      ["a\n"],
      "family",
      [5],
      [undefined],
      null,
    ].map((wrong) => [wrong, "invalid"]),
  ]) {
    assert.deepEqual(normalizeGroups(given as readonly string[]), groups, JSON.stringify(given));
  }
});

test("users in the group admins are administrators, but no guest is", () => {
  const user = { id: "1" as UserId, username: "a" };
  assert.equal(isAdmin(user), false);
  assert.equal(isAdmin({ ...user, groups: ["admins-too"] }), false);
  assert.equal(isAdmin({ ...user, groups: ["a", "admins"] }), true);
  assert.equal(isAdmin({ ...user, groups: ["admins"], guest: true }), false);
});

test("replaces the groups, unless nobody could manage accounts then", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [guest, owner] = [await ports.idOf("guest"), await ports.idOf("owner")];
  const keeping = { ...ports, keep: "an-admin" } as const;
  const groupsNow = async () => (await ports.accounts()).map(({ groups }) => groups);
  assert.equal(await setGroups(ports, owner, ["b", "admins"]), "set");
  const user = { id: owner, username: "owner" };
  assert.deepEqual(ports.recorded.splice(0), [createAuditEvent("user_groups", { user })]);
  for (const [id, groups, outcome] of [
    [owner, ["A"], "groups-invalid"],
    ["unknown" as UserId, ["A"], "groups-invalid"],
    ["unknown" as UserId, [], "no-user"],
    [owner, ["b"], "last-admin"],
  ] as const) {
    assert.equal(await setGroups(keeping, id, groups), outcome);
  }
  assert.deepEqual([await groupsNow(), ports.recorded], [[undefined, ["admins", "b"]], []]);
  assert.equal(await setGroups(keeping, guest, ["admins"]), "set");
  assert.equal(await setGroups(keeping, owner, []), "set");
  assert.deepEqual(await groupsNow(), [["admins"], undefined]);
  t.mock.method(ports.store.users, "setGroups", async () => "missing" as const);
  assert.equal(await setGroups(ports, owner, []), "no-user", "removed in the meantime");
  assert.equal(ports.recorded.length, 2);
});
