import assert from "node:assert/strict";
import type { AccountStore } from "../core/accounts/account-store.ts";
import { EXTRAS, type StoredUser, type UserId } from "../core/store.ts";
import { COMPETITORS, type Open, type Rule, race, rulesFor } from "./database.ts";
import { add, addTwo, hashText } from "./samples.ts";

const UNKNOWN = "unknown" as UserId;

/** Tests a store that supports the account commands. */
export function testAccounts(name: string, open: Open<AccountStore>): void {
  const rule = rulesFor(name, open);
  testAdding(rule);
  testChanges(rule);
  testRemoving(rule);
  testSessions(rule);
  testExtras(rule);
}

/** The IDs of as many accounts as there are competitors. */
async function addCompetitors(store: AccountStore): Promise<readonly UserId[]> {
  const names = Array.from({ length: COMPETITORS }, (_, i) => `account ${i}`);
  const users = await Promise.all(names.map((name) => add(store, name)));
  return users.map(({ id }) => id);
}

/** All users by username. */
async function usersIn(store: AccountStore): Promise<Readonly<Record<string, StoredUser>>> {
  const users = await store.readUsers({ afterId: "", limit: 1_000 });
  return Object.fromEntries(users.map((user) => [user.username, user]));
}

function testAdding(rule: Rule<AccountStore>): void {
  rule("finds added accounts by ID and by username", async (store, database) => {
    const { owner, guest } = await addTwo(store);
    assert.notEqual(owner.id, guest.id);
    const other = await database.connect();
    for (const user of [owner, guest]) {
      assert.deepEqual(await other.findUser(user.id), user);
      assert.deepEqual(await other.findUserByUsername(user.username), user);
    }
  });

  rule("insertUser returns no hash", async (store) => {
    const user = await store.insertUser({ username: "owner", passwordHash: hashText("x") });
    assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
  });

  rule("inserts no first user once an account was added", async (store) => {
    await add(store, "owner");
    assert.equal(await store.hasUsers(), true);
    const first = { username: "first", passwordHash: hashText("x") };
    assert.equal(await store.insertFirstUser(first), undefined);
  });

  rule("refuses a taken username in the same spelling only", async (store) => {
    const owner = await add(store, "owner");
    const again = { username: "owner", passwordHash: hashText("x") };
    assert.equal(await store.insertUser(again), undefined);
    assert.deepEqual(await store.findUserByUsername("owner"), owner);
    await add(store, "Owner");
    await add(store, "owner ");
  });

  rule("adds one of eight concurrent accounts with the same username", async (store, database) => {
    const user = { username: "owner", passwordHash: hashText("x") };
    const answers = await race(database, 1, (one) => one.insertUser(user));
    const [winner, ...others] = answers.filter((answer) => answer !== undefined);
    assert.deepEqual(others, []);
    assert.equal((await store.findUserByUsername("owner"))?.id, winner?.id);
  });
}

function testChanges(rule: Rule<AccountStore>): void {
  rule("replaces the hash of one user only", async (store) => {
    const { owner, guest } = await addTwo(store);
    const { passwordHash } = owner;
    assert.equal(await store.replacePasswordHash(owner.id, passwordHash, hashText("new")), true);
    assert.deepEqual(await usersIn(store), { owner: { ...owner, passwordHash: "new" }, guest });
  });

  rule("changes only the username of a renamed account", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.endSessions(owner.id, 1_000);
    assert.equal(await store.renameUser(owner.id, "host"), "renamed");
    assert.equal(await store.findUserByUsername("owner"), undefined);
    const host = { ...owner, username: "host", sessionsFrom: 1_000 };
    assert.deepEqual(await usersIn(store), { host, guest });
    assert.equal(await store.renameUser(owner.id, "host"), "renamed", "to its current username");
  });

  rule("refuses to rename to a taken username, and an unknown account", async (store) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.renameUser(owner.id, "guest"), "taken");
    assert.equal(await store.renameUser(UNKNOWN, "other"), "missing");
    assert.deepEqual(await usersIn(store), { owner, guest });
  });

  rule("gives a username to one of eight concurrent renames", async (store, database) => {
    const ids = await addCompetitors(store);
    const answers = await race(database, 1, (one, i) =>
      one.renameUser(ids[i] ?? UNKNOWN, "wanted"),
    );
    assert.deepEqual([...answers].sort(), ["renamed", ...Array(COMPETITORS - 1).fill("taken")]);
    const winner = ids[answers.indexOf("renamed")];
    assert.equal((await store.findUserByUsername("wanted"))?.id, winner);
  });
}

function testRemoving(rule: Rule<AccountStore>): void {
  rule("removes an account and frees its username", async (store) => {
    const { guest } = await addTwo(store);
    assert.equal(await store.removeUser(guest.id), "removed");
    assert.equal(await store.findUser(guest.id), undefined);
    assert.equal(await store.findUserByUsername("guest"), undefined);
    assert.equal(await store.removeUser(guest.id), "missing");
    assert.notEqual((await add(store, "guest")).id, guest.id);
  });

  rule("does not remove the last account", async (store) => {
    const owner = await add(store, "owner");
    assert.equal(await store.removeUser(owner.id), "last");
    assert.equal(await store.removeUser(UNKNOWN), "missing");
    assert.deepEqual(await usersIn(store), { owner });
  });

  rule("keeps one of eight accounts that are removed concurrently", async (store, database) => {
    const ids = await addCompetitors(store);
    const answers = await race(database, 1, (one, i) => one.removeUser(ids[i] ?? UNKNOWN));
    assert.deepEqual([...answers].sort(), ["last", ...Array(COMPETITORS - 1).fill("removed")]);
    const stay = Object.values(await usersIn(store)).map(({ id }) => id);
    assert.deepEqual(stay, [ids[answers.indexOf("last")]]);
  });
}

function testSessions(rule: Rule<AccountStore>): void {
  rule("ends the sessions of one account only", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.replaceExtra(owner.id, "codes", undefined, "a text");
    const was = { ...owner, codes: "a text" };
    const sessionsFrom = 2_000_000_000;
    assert.deepEqual(await store.endSessions(owner.id, sessionsFrom), { was, sessionsFrom });
    assert.equal(await store.endSessions(UNKNOWN, sessionsFrom), undefined);
    const ended = { ...was, sessionsFrom };
    assert.deepEqual(await usersIn(store), { owner: ended, guest });
    assert.deepEqual(await store.findUser(owner.id), ended);
    assert.deepEqual(await store.findUserByUsername("owner"), ended);
  });

  rule("ends the sessions of all accounts and returns their number", async (store) => {
    assert.equal(await store.endAllSessions(1_000), 0);
    const users = { ...(await addTwo(store)), all: await add(store, "all") };
    assert.equal(await store.endAllSessions(1_000), 3);
    for (const user of Object.values(users)) {
      assert.deepEqual(await store.findUser(user.id), { ...user, sessionsFrom: 1_000 });
    }
  });

  rule("tells eight concurrent ends of an account apart", async (store, database) => {
    const owner = await add(store, "owner");
    const ends = await race(database, 1, (one) => one.endSessions(owner.id, 1_000));
    const from = ends.map((end) => end?.sessionsFrom ?? 0).sort((a, b) => a - b);
    const was = ends.map((end) => end?.was.sessionsFrom ?? 0).sort((a, b) => a - b);
    assert.deepEqual(
      from,
      Array.from({ length: COMPETITORS }, (_, i) => 1_000 + i),
    );
    assert.deepEqual(was, [0, ...from.slice(0, -1)], "each has found what the one before has left");
  });

  rule("ends sessions that were issued since the last end", async (store) => {
    const { id } = await add(store, "owner");
    const from = async (): Promise<number> => (await store.findUser(id))?.sessionsFrom ?? 0;
    await store.endSessions(id, 1_000);
    await store.endSessions(id, 1_000);
    assert.ok((await from()) > 1_000, "a session from the second of both ends");
    await store.endAllSessions(500);
    assert.ok((await from()) > 1_001, "also when a clock is behind");
    await store.endAllSessions(9_000);
    assert.equal(await from(), 9_000);
  });
}

function testExtras(rule: Rule<AccountStore>): void {
  rule("keeps each extra of each account by itself", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const extra of EXTRAS) {
      assert.equal(await store.hasExtra(extra), false);
      assert.equal(await store.replaceExtra(owner.id, extra, undefined, `${extra} é`), true);
      assert.equal(await store.hasExtra(extra), true);
    }
    const extras = Object.fromEntries(EXTRAS.map((extra) => [extra, `${extra} é`]));
    assert.deepEqual(await usersIn(store), { owner: { ...owner, ...extras }, guest });
    assert.deepEqual(await store.findUser(owner.id), { ...owner, ...extras });
    assert.deepEqual(await store.findUserByUsername("owner"), { ...owner, ...extras });
    assert.equal(await store.replaceExtra(owner.id, "codes", "codes é", undefined), true);
    assert.equal(await store.hasExtra("codes"), false);
  });

  rule("replaces an extra only from the given text", async (store) => {
    const { id } = await add(store, "owner");
    assert.equal(await store.replaceExtra(id, "codes", "old", "new"), false);
    assert.equal(await store.replaceExtra(UNKNOWN, "codes", undefined, "new"), false);
    assert.equal(await store.replaceExtra(id, "codes", undefined, "one"), true);
    assert.equal(await store.replaceExtra(id, "codes", undefined, "two"), false);
    assert.equal((await store.findUser(id))?.codes, "one");
  });

  rule("replaces an extra once for eight concurrent callers", async (store, database) => {
    const { id } = await add(store, "owner");
    const answers = await race(database, 1, (one, i) =>
      one.replaceExtra(id, "codes", undefined, `${i}`),
    );
    assert.deepEqual(answers.filter(Boolean), [true]);
    assert.equal((await store.findUser(id))?.codes, `${answers.indexOf(true)}`);
  });
}
