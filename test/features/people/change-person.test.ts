import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent } from "../../../src/audit/events.ts";
import type { UserId } from "../../../src/db/records.ts";
import { changePerson, toVersion } from "../../../src/features/people/change-person.ts";
import { createAccountServices } from "./account-services.ts";

test("changes the username and the groups, and logs what differs from before", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const id = await ports.idOf("guest");
  const logged = () => ports.recorded.splice(0);
  const named = (username: string, groups?: readonly string[]) => ({
    user: { id, username, ...(groups && { groups }) },
  });
  assert.equal(
    await changePerson(ports, id, { username: "ben", groups: ["b", "", "a"] }),
    "changed",
  );
  const [ben] = await ports.accounts();
  assert.deepEqual([ben?.username, ben?.groups], ["ben", ["a", "b"]]);
  assert.deepEqual(logged(), [
    createAuditEvent("user_rename", named("ben")),
    createAuditEvent("user_groups", named("ben")),
  ]);
  for (const same of [{}, { username: "ben" }, { groups: ["b", "a"] }, { groups: ["a", "b", "a"] }])
    assert.equal(await changePerson(ports, id, same), "changed");
  assert.deepEqual(logged(), []);
  assert.equal(await changePerson(ports, id, { groups: [] }), "changed");
  assert.deepEqual(
    logged().map(({ type }) => type),
    ["user_groups"],
  );
  assert.equal(await changePerson(ports, id, { username: "Ben" }), "changed", "in another case");
});

test("changes nothing if the username or a group is refused", async (t) => {
  const ports = await createAccountServices(t, "guest", "owner");
  const [id, owner] = [await ports.idOf("guest"), await ports.idOf("owner")];
  assert.equal(await changePerson(ports, owner, { groups: ["admins"] }), "changed");
  const keeping = { ...ports, keep: "an-admin" } as const;
  const before = await ports.accounts();
  ports.recorded.length = 0;
  const unknown = "unknown" as UserId;
  for (const [user, change, outcome] of [
    [id, { username: "", groups: ["a"] }, "username-missing"],
    [id, { username: "a\u200bb", groups: ["a"] }, "username-invalid"],
    [id, { username: "owner", groups: ["a"] }, "username-taken"],
    [id, { username: "OWNER", groups: ["a"] }, "username-used"],
    [id, { username: "ben", groups: ["A"] }, "groups-invalid"],
    [owner, { username: "ben", groups: ["a"] }, "last-admin"],
    [unknown, { username: "ben" }, "no-user"],
    [unknown, { groups: ["A"] }, "groups-invalid"],
  ] as const) {
    assert.equal(await changePerson(keeping, user, change), outcome);
  }
  assert.deepEqual([await ports.accounts(), ports.recorded], [before, []]);
  t.mock.method(ports.store.users, "change", async () => "missing" as const);
  assert.equal(await changePerson(ports, id, { username: "ben" }), "no-user", "removed meanwhile");
  assert.deepEqual(ports.recorded, []);
});

test("a form that others have overtaken undoes nothing", async (t) => {
  const ports = await createAccountServices(t, "owner");
  const [owner] = await ports.accounts();
  assert.ok(owner);
  const version = toVersion(owner);
  const late = { username: "owner", groups: ["late"], version };
  assert.equal(await changePerson(ports, owner.id, { groups: ["family"], version }), "changed");
  assert.equal(await changePerson(ports, owner.id, late), "changed-meanwhile");
  assert.equal(await changePerson(ports, owner.id, { ...late, version: "" }), "changed-meanwhile");
  // The other change comes between the look at the version and this change.
  const [current] = await ports.accounts();
  assert.ok(current);
  const { change } = ports.store.users;
  t.mock.method(ports.store.users, "change", async (...args: Parameters<typeof change>) => {
    await ports.store.users.setGroups(owner.id, ["photos"]);
    return change(...args);
  });
  const next = { ...late, version: toVersion(current) };
  assert.equal(await changePerson(ports, owner.id, next), "changed-meanwhile");
  assert.deepEqual((await ports.accounts())[0]?.groups, ["photos"]);
});

test("versions of different names and groups differ", () => {
  const id = "1" as UserId;
  const versions = [
    { id, username: "a" },
    { id, username: "b" },
    { id, username: "a", groups: ["b"] },
    { id, username: "a", groups: ["b", "c"] },
    { id, username: "a", groups: ["bc"] },
  ].map(toVersion);
  assert.equal(new Set(versions).size, versions.length);
  assert.equal(toVersion({ id, username: "a", groups: [] }), versions[0]);
});
