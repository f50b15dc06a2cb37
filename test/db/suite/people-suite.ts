import assert from "node:assert/strict";
import { NO_PASSWORD, type UserId } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTo, at, logEntry } from "./samples.ts";

const [NOW, LATER] = [at(1), at(2)];

/** What administrators see of accounts. */
export function testPeople(rule: Rule<With<"people">>): void {
  rule("lists people by username, in pages, and by a part of it", async (store) => {
    for (const name of ["bob", "Ada", "eve%_", "carol", "Ä'\""]) await addTo(store, name);
    for (const [search, key, limit, ...found] of [
      ["", {}, 9, "Ada", "bob", "carol", "eve%_", "Ä'\""],
      ["", { after: "bob" }, 2, "carol", "eve%_"],
      ["", { before: "eve%_" }, 2, "bob", "carol"],
      ["A", {}, 9, "Ada", "carol"],
      ["a", { after: "B" }, 1, "carol"],
      ["a", { before: "b" }, 1, "Ada"],
      ["%_", {}, 9, "eve%_"],
      ["Ä'\"", {}, 9, "Ä'\""],
      ["_%", {}, 9],
    ] as const) {
      const people = await store.people.list({ search, ...key, limit, now: NOW });
      assert.deepEqual([...people.map(({ user }) => user.username)], found, search);
    }
  });

  rule("tells the facts of each of them, without the hash", async (store) => {
    const [{ id }, bob] = [await addTo(store, "ada"), await addTo(store, "bob")];
    await store.users.setGroups(id, ["family"]);
    const begun = { userId: id, createdAt: NOW, usedAt: NOW, address: "", device: "" };
    for (const expiresAt of [LATER, NOW]) {
      await store.sessions.insert({ ...begun, id: `${expiresAt}`, expiresAt });
    }
    await store.sessions.end({ ...begun, id: "ended", expiresAt: LATER }, NOW);
    for (const user of [id, bob.id]) await store.codes.begin(user, "mark");
    await store.codes.turnOn(id, "mark", { secret: "", lastStep: 0, recovery: [], wrong: 0 });
    const types = ["signin", "signin", "codes_on"] as const;
    await store.log.insert(
      types.map((type, hour) => logEntry("", { type, at: at(hour), userId: id })),
    );
    const ada = { id, username: "ada", groups: ["family"] };
    assert.deepEqual(await store.people.list({ search: "", limit: 9, now: NOW }), [
      { user: ada, signedInAt: at(1), sessions: 1, codes: true, passkeys: 0 },
      { user: { id: bob.id, username: "bob" }, sessions: 0, codes: false, passkeys: 0 },
    ]);
  });

  rule("finds one of them with the same facts", async (store) => {
    const [{ id }] = [await addTo(store, "ada"), await addTo(store, "bob")];
    const passkey = { userId: id, name: "", key: "bytes", counter: 0, addedAt: NOW };
    for (const one of ["a", "b"]) await store.passkeys.insert({ ...passkey, id: one }, 9);
    const [listed] = await store.people.list({ search: "ada", limit: 9, now: NOW });
    assert.deepEqual(await store.people.find(id, NOW), listed);
    assert.equal(listed?.passkeys, 2);
    for (const unknown of ["", "unknown", "ada"])
      assert.equal(await store.people.find(unknown as UserId, NOW), undefined);
  });

  rule("finds usernames, of accounts that exist", async (store) => {
    const [{ id }] = [await addTo(store, "ada"), await addTo(store, "bob")];
    const unknown = "unknown" as UserId;
    assert.deepEqual(await store.people.findUsernames([]), new Map());
    assert.deepEqual(await store.people.findUsernames([unknown, id]), new Map([[id, "ada"]]));
  });

  rule("counts people and guests, and lists the groups that they have", async (store) => {
    assert.deepEqual(await store.people.count(), { people: 0, guests: 0 });
    assert.deepEqual(await store.people.listGroups(), []);
    for (const name of ["ada", "bob", "carol"]) await addTo(store, name);
    await store.users.insert({ username: "sitter", passwordHash: NO_PASSWORD, groups: ["camera"] });
    const [ada, bob] = await store.people.list({ search: "", limit: 9, now: NOW });
    await store.users.setGroups(ada?.user.id ?? ("" as UserId), ["admins", "photos"]);
    await store.users.setGroups(bob?.user.id ?? ("" as UserId), ["family", "photos"]);
    assert.deepEqual(await store.people.count(), { people: 3, guests: 1 });
    assert.deepEqual(await store.people.listGroups(), ["admins", "camera", "family", "photos"]);
  });
}
