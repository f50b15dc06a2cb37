import assert from "node:assert/strict";
import type { AccountStore } from "../core/accounts/account-store.ts";
import type { StoredUser, User, UserId } from "../core/store.ts";
import { type Open, type Rule, rulesFor } from "./database.ts";
import { hashText } from "./samples.ts";

const NOBODY = "nobody" as UserId;

/** What a store has to do whose accounts can be looked after. */
export function testAccounts(name: string, open: Open<AccountStore>): void {
  const rule = rulesFor(name, open);
  addingHasToWork(rule);
  hashesHaveToBeSet(rule);
  renamingHasToWork(rule);
  removingHasToWork(rule);
  sessionsHaveToEnd(rule);
}

async function add(store: AccountStore, username: string): Promise<StoredUser> {
  const passwordHash = hashText(`hash of ${username}`);
  const user = await store.insertUser({ username, passwordHash });
  assert.ok(user);
  return { ...user, passwordHash };
}

const addAll = (store: AccountStore, names: readonly string[]): Promise<readonly StoredUser[]> =>
  Promise.all(names.map((name) => add(store, name)));

/** All users by their names. */
async function usersIn(store: AccountStore): Promise<Readonly<Record<string, StoredUser>>> {
  const users = await store.readUsers({ afterId: "", limit: 1_000 });
  return Object.fromEntries(users.map((user) => [user.username, user]));
}

/** What each of several connections answers, all of them asked at once. */
async function atOnce<T>(
  connect: () => Promise<AccountStore>,
  questions: readonly ((store: AccountStore) => Promise<T>)[],
): Promise<readonly T[]> {
  const stores = await Promise.all(questions.map(connect));
  const [first] = stores;
  assert.ok(first);
  return Promise.all(questions.map((ask, i) => ask(stores[i] ?? first)));
}

const COMPETITORS = 8;

function addingHasToWork(rule: Rule<AccountStore>): void {
  rule("accounts that are added are found by ID and by name", async (store, database) => {
    const users = await addAll(store, ["owner", "guest"]);
    const other = await database.connect();
    for (const user of users) {
      assert.deepEqual(await other.findUser(user.id), user);
      assert.deepEqual(await other.findUserByUsername(user.username), user);
    }
    assert.equal(new Set(users.map(({ id }) => id)).size, 2);
  });

  rule("what insertUser answers with has no hash in it", async (store) => {
    const user = await store.insertUser({ username: "owner", passwordHash: hashText("x") });
    assert.deepEqual(Object.keys(user ?? {}).sort(), ["id", "username"]);
  });

  rule("where an account was added, there is no first one any more", async (store) => {
    await add(store, "owner");
    assert.equal(await store.hasUsers(), true);
    const first = { username: "first", passwordHash: hashText("x") };
    assert.equal(await store.insertFirstUser(first), undefined);
  });

  rule("a name that is taken is not given again, in its very spelling alone", async (store) => {
    const owner = await add(store, "owner");
    const again = { username: "owner", passwordHash: hashText("x") };
    assert.equal(await store.insertUser(again), undefined);
    assert.deepEqual(await store.findUserByUsername("owner"), owner);
    await addAll(store, ["Owner", "owner "]);
  });

  rule("of eight at once who want the same name, one gets it", async (store, { connect }) => {
    const insert = (one: AccountStore): Promise<User | undefined> =>
      one.insertUser({ username: "owner", passwordHash: hashText("x") });
    const inserts = Array.from({ length: COMPETITORS }, () => insert);
    const answers = await atOnce(connect, inserts);
    const [winner, ...others] = answers.filter((user) => user !== undefined);
    assert.deepEqual(others, []);
    assert.equal((await store.findUserByUsername("owner"))?.id, winner?.id);
  });
}

function hashesHaveToBeSet(rule: Rule<AccountStore>): void {
  rule("a hash is set whatever it was, and nobody else's with it", async (store) => {
    const [owner, guest] = await addAll(store, ["owner", "guest"]);
    assert.ok(owner && guest);
    assert.equal(await store.setPasswordHash(owner.id, hashText("new")), "set");
    assert.equal(await store.setPasswordHash(owner.id, hashText("newer")), "set");
    assert.equal(await store.setPasswordHash(NOBODY, hashText("new")), "missing");
    assert.deepEqual(await usersIn(store), {
      owner: { ...owner, passwordHash: "newer" },
      guest,
    });
  });
}

function renamingHasToWork(rule: Rule<AccountStore>): void {
  rule("a renamed account keeps all but its name", async (store) => {
    const [owner, guest] = await addAll(store, ["owner", "guest"]);
    assert.ok(owner && guest);
    await store.endSessions(owner.id, 1_000);
    assert.equal(await store.renameUser(owner.id, "host"), "renamed");
    assert.equal(await store.findUserByUsername("owner"), undefined);
    assert.deepEqual(await usersIn(store), {
      host: { ...owner, username: "host", sessionsFrom: 1_000 },
      guest,
    });
    assert.equal(await store.renameUser(owner.id, "host"), "renamed", "to the name that it has");
  });

  rule("no account gets a name that is taken, and nobody none", async (store) => {
    const [owner, guest] = await addAll(store, ["owner", "guest"]);
    assert.ok(owner && guest);
    assert.equal(await store.renameUser(owner.id, "guest"), "taken");
    assert.equal(await store.renameUser(NOBODY, "somebody"), "missing");
    assert.deepEqual(await usersIn(store), { owner, guest });
  });

  rule("of eight renamed to one name at once, one is", async (store, { connect }) => {
    const names = Array.from({ length: COMPETITORS }, (_, i) => `account ${i}`);
    const users = await addAll(store, names);
    const answers = await atOnce(
      connect,
      users.map(
        ({ id }) =>
          (one: AccountStore) =>
            one.renameUser(id, "wanted"),
      ),
    );
    assert.deepEqual([...answers].sort(), ["renamed", ...Array(COMPETITORS - 1).fill("taken")]);
    const winner = users[answers.indexOf("renamed")];
    assert.equal((await store.findUserByUsername("wanted"))?.id, winner?.id);
  });
}

function removingHasToWork(rule: Rule<AccountStore>): void {
  rule("a removed account is gone, and its name free for another", async (store) => {
    const [owner, guest] = await addAll(store, ["owner", "guest"]);
    assert.ok(owner && guest);
    assert.equal(await store.removeUser(guest.id), "removed");
    assert.equal(await store.findUser(guest.id), undefined);
    assert.equal(await store.findUserByUsername("guest"), undefined);
    assert.equal(await store.removeUser(guest.id), "missing");
    assert.notEqual((await add(store, "guest")).id, guest.id);
  });

  rule("the last account stays, whoever else is asked for", async (store) => {
    const owner = await add(store, "owner");
    assert.equal(await store.removeUser(owner.id), "last");
    assert.equal(await store.removeUser(NOBODY), "missing");
    assert.deepEqual(await usersIn(store), { owner });
  });

  rule("of eight that are removed at once, one stays", async (store, { connect }) => {
    const names = Array.from({ length: COMPETITORS }, (_, i) => `account ${i}`);
    const users = await addAll(store, names);
    const answers = await atOnce(
      connect,
      users.map(
        ({ id }) =>
          (one: AccountStore) =>
            one.removeUser(id),
      ),
    );
    assert.deepEqual([...answers].sort(), ["last", ...Array(COMPETITORS - 1).fill("removed")]);
    const stays = users[answers.indexOf("last")];
    assert.deepEqual(Object.values(await usersIn(store)), [stays]);
  });
}

function sessionsHaveToEnd(rule: Rule<AccountStore>): void {
  rule("ended sessions are noted with their account alone", async (store) => {
    const [owner, guest] = await addAll(store, ["owner", "guest"]);
    assert.ok(owner && guest);
    assert.equal(await store.endSessions(owner.id, 2_000_000_000), 1);
    assert.equal(await store.endSessions(NOBODY, 2_000_000_000), 0);
    const ended = { ...owner, sessionsFrom: 2_000_000_000 };
    assert.deepEqual(await usersIn(store), { owner: ended, guest });
    assert.deepEqual(await store.findUser(owner.id), ended);
    assert.deepEqual(await store.findUserByUsername("owner"), ended);
  });

  rule("those of all accounts end together, and their number is told", async (store) => {
    assert.equal(await store.endSessions("all", 1_000), 0);
    const users = await addAll(store, ["owner", "guest", "all"]);
    assert.equal(await store.endSessions("all", 1_000), 3);
    for (const user of users) {
      assert.deepEqual(await store.findUser(user.id), { ...user, sessionsFrom: 1_000 });
    }
  });

  rule("sessions that were issued since the last end end with the next one", async (store) => {
    const { id } = await add(store, "owner");
    const from = async (): Promise<number> => (await store.findUser(id))?.sessionsFrom ?? 0;
    await store.endSessions(id, 1_000);
    await store.endSessions(id, 1_000);
    assert.ok((await from()) > 1_000, "one from the second in which both ended");
    await store.endSessions("all", 500);
    assert.ok((await from()) > 1_001, "and where a clock is behind");
    await store.endSessions("all", 9_000);
    assert.equal(await from(), 9_000);
  });
}
