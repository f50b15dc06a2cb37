import assert from "node:assert/strict";
import type { StoredUser, UserId } from "../../../src/db/records.ts";
import type { Store } from "../../../src/db/store.ts";
import { COMPETITORS, type Rule } from "./database.ts";
import { addTo, addTwo, hashText, UNKNOWN } from "./samples.ts";

/** The IDs of as many accounts as there are competitors. */
async function addCompetitors(store: Store): Promise<readonly UserId[]> {
  const names = Array.from({ length: COMPETITORS }, (_, i) => `account ${i}`);
  const users = await Promise.all(names.map((name) => addTo(store, name)));
  return users.map(({ id }) => id);
}

/** All users by username. */
async function allUsers(store: Store): Promise<Readonly<Record<string, StoredUser>>> {
  const users = await store.users.read("", 1_000);
  return Object.fromEntries(users.map((user) => [user.username, user]));
}

/** What commands and administrators do with accounts. */
export function testAccounts(rule: Rule<Store>): void {
  rule("gives a username to one of 16 concurrent spellings", async (store, { onlyOne }) => {
    const passwordHash = hashText("x");
    const spellings = ["owner", "Owner", "OWNER", "\uff4fwner", "\u00f6wner", "\u043ewner"];
    const winner = await onlyOne(async ({ users }, i) => {
      const username = spellings[i % spellings.length] ?? "";
      return users.insert({ username, passwordHash });
    }, 2);
    assert.deepEqual(await store.users.read("", 9), [{ ...winner, passwordHash }]);
    for (const username of spellings) {
      assert.equal(await store.users.isNameUsed(username), true, username);
      assert.equal(await store.users.insert({ username, passwordHash }), undefined, username);
    }
    assert.equal(await store.users.isNameUsed("another"), false);
  });

  rule("gives nobody else a username that was renamed or removed", async (store) => {
    const { owner, guest } = await addTwo(store);
    const passwordHash = hashText("x");
    assert.equal(await store.users.rename(owner.id, "Host"), "renamed");
    assert.equal(await store.users.rename(guest.id, "OWNER"), "taken");
    assert.equal(await store.users.insert({ username: "owner", passwordHash }), undefined);
    assert.equal(await store.users.rename(owner.id, "HOST"), "renamed", "its own in another case");
    assert.equal(await store.users.rename(owner.id, "Owner"), "renamed", "its own earlier one");
    assert.equal(await store.users.remove(guest.id), "removed");
    assert.equal(await store.users.insert({ username: "Guest", passwordHash }), undefined);
    assert.equal(await store.users.rename(owner.id, "guest"), "taken");
    assert.equal(await store.users.forgetName("unknown"), false);
    assert.equal(await store.users.forgetName("GUEST"), true);
    assert.equal(await store.users.forgetName("guest"), false);
    assert.notEqual((await addTo(store, "guest")).id, guest.id);
  });

  rule("replaces the hash of one user, while it is the expected one", async (store) => {
    const { owner, guest } = await addTwo(store);
    const replace = (id: UserId, from: string, to: string) =>
      store.users.replaceHash(id, hashText(from), hashText(to));
    assert.equal(await replace(owner.id, "other", "x"), false);
    assert.equal(await replace(UNKNOWN, owner.passwordHash, "x"), false);
    assert.deepEqual(await allUsers(store), { owner, guest });
    assert.equal(await replace(owner.id, owner.passwordHash, "second"), true);
    assert.equal(await replace(owner.id, owner.passwordHash, "third"), false);
    assert.deepEqual(await allUsers(store), { owner: { ...owner, passwordHash: "second" }, guest });
  });

  rule("makes one of 16 concurrent replacements", async (store, { onlyOne }) => {
    const { id, passwordHash } = await addTo(store, "owner");
    const made = await onlyOne(async ({ users }, i) => {
      const to = hashText(`by ${i}`);
      return (await users.replaceHash(id, passwordHash, to)) && to;
    }, 2);
    assert.equal((await store.users.find(id))?.passwordHash, made);
  });

  rule("renames an account, and changes nothing else", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.users.endSessions(owner.id, 1_000);
    assert.equal(await store.users.rename(owner.id, "guest"), "taken");
    assert.equal(await store.users.rename(UNKNOWN, "other"), "missing");
    assert.equal(await store.users.rename(owner.id, "host"), "renamed");
    assert.equal(await store.users.findByName("owner"), undefined);
    assert.equal(await store.users.rename(owner.id, "host"), "renamed", "to its current username");
    const host = { ...owner, username: "host", sessionsFrom: 1_000 };
    assert.deepEqual(await allUsers(store), { host, guest });
  });

  rule("gives a username to one of eight concurrent renames", async (store, { race }) => {
    const ids = await addCompetitors(store);
    const answers = await race((one, i) => one.users.rename(ids[i] ?? UNKNOWN, "wanted"));
    assert.deepEqual([...answers].sort(), ["renamed", ...Array(COMPETITORS - 1).fill("taken")]);
    const winner = ids[answers.indexOf("renamed")];
    assert.equal((await store.users.findByName("wanted"))?.id, winner);
  });

  rule("removes an account, but not the last account", async (store) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.users.remove(guest.id), "removed");
    assert.equal(await store.users.find(guest.id), undefined);
    assert.equal(await store.users.remove(guest.id), "missing");
    assert.equal(await store.users.remove(owner.id), "last");
    assert.deepEqual(await allUsers(store), { owner });
  });

  rule("keeps one of eight accounts that are removed concurrently", async (store, { race }) => {
    const ids = await addCompetitors(store);
    const answers = await race((one, i) => one.users.remove(ids[i] ?? UNKNOWN));
    assert.deepEqual([...answers].sort(), ["last", ...Array(COMPETITORS - 1).fill("removed")]);
    const stay = Object.values(await allUsers(store)).map(({ id }) => id);
    assert.deepEqual(stay, [ids[answers.indexOf("last")]]);
  });

  rule("can keep the last of the group admins in it", async ({ users }) => {
    const { owner, guest } = await addTwo({ users });
    assert.equal(await users.setGroups(owner.id, ["admins", "family"]), "set");
    assert.equal(await users.setGroups(guest.id, ["admins-too"]), "set");
    assert.equal(await users.setGroups(owner.id, ["family"], "an-admin"), "last-admin");
    assert.equal(await users.setGroups(UNKNOWN, [], "an-admin"), "missing");
    assert.equal(await users.remove(owner.id, "an-admin"), "last-admin");
    assert.equal(await users.setGroups(guest.id, ["admins"], "an-admin"), "set");
    assert.equal(await users.setGroups(owner.id, ["family"], "an-admin"), "set");
    assert.equal(await users.setGroups(guest.id, []), "set");
    assert.equal(await users.remove(owner.id, "an-admin"), "removed");
  });

  rule("changes the name and the groups together, or neither", async (store) => {
    const { users } = store;
    const { owner, guest } = await addTwo(store);
    await users.setGroups(owner.id, ["admins"]);
    const now = async () => {
      const all = Object.values(await allUsers(store));
      return all.map(({ username, groups }) => [username, groups]).sort();
    };
    for (const [id, change, outcome] of [
      [owner.id, { username: "guest", groups: ["admins", "family"] }, "taken"],
      [owner.id, { username: "GUEST", groups: ["admins", "family"] }, "taken"],
      [owner.id, { username: "me", groups: ["family"] }, "last-admin"],
      [owner.id, { username: "unseen", groups: ["family"] }, "last-admin"],
      [UNKNOWN, { username: "me", groups: ["family"] }, "missing"],
      [UNKNOWN, { groups: ["family"] }, "missing"],
    ] as const) {
      assert.equal(await users.change(id, change, { keep: "an-admin" }), outcome);
      assert.deepEqual(await now(), [
        ["guest", undefined],
        ["owner", ["admins"]],
      ]);
    }
    assert.equal(await users.change(owner.id, {}), "changed");
    assert.equal(
      await users.change(guest.id, { username: "ben" }, { keep: "an-admin" }),
      "changed",
    );
    assert.equal(
      await users.change(guest.id, { groups: ["admins"] }, { keep: "an-admin" }),
      "changed",
    );
    const both = { username: "me", groups: ["family", "photos"] };
    assert.equal(await users.change(owner.id, both, { keep: "an-admin" }), "changed");
    assert.deepEqual(await now(), [
      ["ben", ["admins"]],
      ["me", ["family", "photos"]],
    ]);
    assert.equal(await users.isNameUsed("unseen"), false, "it was not given to anybody");
    assert.equal(await users.isNameUsed("owner"), true);
  });

  rule("makes one of eight concurrent changes of the same state", async (store, { race }) => {
    const owner = await addTo(store, "owner");
    await store.users.setGroups(owner.id, ["admins", "family"]);
    const from = { username: "owner", groups: ["admins", "family"] };
    const answers = await race(({ users }, i) =>
      users.change(owner.id, { groups: ["admins", `group-${i}`] }, { from }),
    );
    const winners = [...answers.keys()].filter((i) => answers[i] === "changed");
    assert.deepEqual(
      answers.filter((answer) => answer !== "changed-meanwhile"),
      ["changed"],
    );
    const { owner: found } = await allUsers(store);
    assert.deepEqual(found?.groups, ["admins", `group-${winners[0]}`]);
    assert.equal(await store.users.change(UNKNOWN, { username: "me" }, { from }), "missing");
    const renamed = { ...from, groups: found?.groups ?? [], username: "another" };
    const change = { username: "me" };
    assert.equal(
      await store.users.change(owner.id, change, { from: renamed }),
      "changed-meanwhile",
    );
  });

  rule("keeps one of eight administrators who leave concurrently", async (store, { race }) => {
    const ids = await addCompetitors(store);
    await addTo(store, "other");
    for (const id of ids) await store.users.setGroups(id, ["admins"]);
    const answers = await race(({ users }, i) => {
      const id = ids[i] ?? UNKNOWN;
      return i % 2 === 0 ? users.remove(id, "an-admin") : users.setGroups(id, [], "an-admin");
    });
    const left = Object.values(await allUsers(store)).filter(({ groups }) => groups !== undefined);
    const stay = ids.filter((_, i) => answers[i] === "last-admin");
    assert.deepEqual([left.map(({ id }) => id), stay.length], [stay, 1]);
  });

  rule("ends the sessions of one account, or of all", async (store) => {
    assert.equal(await store.users.endAllSessions(1_000), 0);
    const { owner, guest } = await addTwo(store);
    const outcome = { sessionsFrom: 2_000, asker: "had-ended" };
    assert.deepEqual(await store.users.endSessions(owner.id, 2_000), outcome, "nobody asks");
    assert.equal(await store.users.endSessions(UNKNOWN, 2_000), undefined);
    const ended = { ...owner, sessionsFrom: 2_000 };
    assert.deepEqual(await allUsers(store), { owner: ended, guest });
    assert.deepEqual(await store.users.find(owner.id), ended);
    assert.deepEqual(await store.users.findByName("owner"), ended);
    assert.equal(await store.users.endAllSessions(3_000), 2);
    const from = async () => Object.values(await allUsers(store)).map((user) => user.sessionsFrom);
    assert.deepEqual(await from(), [3_000, 3_000]);
    await store.users.endAllSessions(500);
    assert.deepEqual(await from(), [3_001, 3_001], "also when a clock is behind");
  });

  rule("tells eight concurrent ends of an account apart", async (store, { race }) => {
    const owner = await addTo(store, "owner");
    const end = (one: Store, validUpTo: number) =>
      one.users.endSessions(owner.id, 1_000, { id: "session", validUpTo });
    const ends = await race((one) => end(one, 0));
    const expected = Array.from({ length: COMPETITORS }, (_, i) => 1_000 + i);
    assert.deepEqual(ends.map((one) => one?.sessionsFrom).sort(), expected);
    assert.equal(ends.filter((one) => one?.asker === "was-valid").length, 1);
    const from = (await store.users.find(owner.id))?.sessionsFrom ?? 0;
    assert.equal((await end(store, from - 1))?.asker, "had-ended");
    assert.deepEqual(await end(store, from + 1), { sessionsFrom: from + 2, asker: "was-valid" });
  });
}
