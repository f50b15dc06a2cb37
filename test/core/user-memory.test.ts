import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MaybePromise } from "../../src/core/maybe-promise.ts";
import type { StoredUser, User, UserId } from "../../src/core/store.ts";
import {
  createUserMemory,
  type RememberedUser,
  type UserMemory,
} from "../../src/core/user-memory.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { hashText, openStore } from "../support/store.ts";

const ID = "user-1" as UserId;

/** Only the users of what a memory remembers; at once where it answers at once. */
function usersOf(memory: UserMemory) {
  const userIn = (found: RememberedUser | undefined): User | undefined => found?.user;
  return {
    ...memory,
    find(id: UserId): MaybePromise<User | undefined> {
      const found = memory.find(id);
      return found instanceof Promise ? found.then(userIn) : userIn(found);
    },
  };
}

/** The real store with one account in it, counting what it is asked. */
async function memoryOverStore(t: TestContext) {
  const store = await openStore(t);
  const asked = { hasUsers: 0, findUser: 0 };
  const clock = fakeClock();
  const users = createUserMemory(
    {
      hasUsers() {
        asked.hasUsers += 1;
        return store.hasUsers();
      },
      findUser(id) {
        asked.findUser += 1;
        return store.findUser(id);
      },
    },
    clock,
  );
  const insert = async (): Promise<UserId> => {
    const user = await store.insertFirstUser({ username: "owner", passwordHash: hashText("hash") });
    assert.ok(user);
    return user.id;
  };
  return { asked, clock, users: usersOf(users), memory: users, insert };
}

test("returns a user without a promise for one second, and then looks it up again", async (t) => {
  const { asked, clock, users, insert } = await memoryOverStore(t);
  const id = await insert();
  assert.deepEqual(await users.find(id), { id, username: "owner" });
  clock.advance(999);
  assert.deepEqual(users.find(id), { id, username: "owner" });
  assert.equal(asked.findUser, 1);
  clock.advance(1);
  assert.ok(users.find(id) instanceof Promise);
  assert.equal(asked.findUser, 2);
});

test("does not extend the second on use", async (t) => {
  const { asked, clock, users, insert } = await memoryOverStore(t);
  const id = await insert();
  await users.find(id);
  for (let i = 0; i < 3; i += 1) {
    clock.advance(400);
    await users.find(id);
  }
  assert.equal(asked.findUser, 2);
});

test("caches a frozen user without the hash", async (t) => {
  const { users, insert } = await memoryOverStore(t);
  const user = await users.find(await insert());
  assert.ok(user && Object.isFrozen(user));
  assert.deepEqual(Object.keys(user).sort(), ["id", "username"]);
});

test("looks a forgotten user up at once", async (t) => {
  const { asked, users, insert } = await memoryOverStore(t);
  const id = await insert();
  await users.find(id);
  users.forget(id);
  assert.ok(users.find(id) instanceof Promise);
  assert.equal(asked.findUser, 2);
});

test("expires a held entry when the user is forgotten", async (t) => {
  const { clock, memory, insert } = await memoryOverStore(t);
  const id = await insert();
  const held = await memory.find(id);
  assert.equal(held?.until, clock.monotonic() + 1_000);
  memory.forget(id);
  assert.ok(held.until <= clock.monotonic());
});

test("shares one query between concurrent lookups of one user", async (t) => {
  const { asked, users, insert } = await memoryOverStore(t);
  const id = await insert();
  const found = await Promise.all(Array.from({ length: 50 }, () => users.find(id)));
  assert.deepEqual(found, Array(50).fill({ id, username: "owner" }));
  assert.equal(asked.findUser, 1);
});

test("does not cache a missing user", async (t) => {
  const { asked, users } = await memoryOverStore(t);
  assert.equal(await users.find(ID), undefined);
  assert.equal(await users.find(ID), undefined);
  assert.equal(asked.findUser, 2);
});

test("queries whether an account exists until the answer is yes", async (t) => {
  const { asked, users, insert } = await memoryOverStore(t);
  assert.equal(await users.anyExists(), false);
  assert.equal(await users.anyExists(), false);
  await insert();
  assert.equal(await users.anyExists(), true);
  assert.equal(asked.hasUsers, 3);
  assert.equal(users.anyExists(), true, "without a promise");
  assert.equal(asked.hasUsers, 3);
});

/** Look-ups that end when the test says so: the store answers too fast to be overtaken. */
function memoryOverSlowStore() {
  const answers: PromiseWithResolvers<StoredUser | undefined>[] = [];
  const clock = fakeClock();
  const users = createUserMemory(
    {
      hasUsers: () => Promise.reject(new Error("not asked for")),
      findUser() {
        const answer = Promise.withResolvers<StoredUser | undefined>();
        answers.push(answer);
        return answer.promise;
      },
    },
    clock,
  );
  const answer = (index: number, username: string): void =>
    answers[index]?.resolve({ id: ID, username, passwordHash: hashText("hash") });
  const fail = (index: number): void => answers[index]?.reject(new Error("unreachable"));
  return { users: usersOf(users), clock, answers, answer, fail };
}

test("does not cache a user that is forgotten during the lookup", async () => {
  const { users, answer, answers } = memoryOverSlowStore();
  const before = users.find(ID);
  users.forget(ID);
  const after = users.find(ID);
  assert.equal(answers.length, 2, "the look-up from before the change is not shared");
  answer(0, "old");
  assert.equal((await before)?.username, "old");
  assert.ok(users.find(ID) instanceof Promise, "an outdated result is not cached");
  answer(1, "new");
  assert.equal((await after)?.username, "new");
  assert.deepEqual(users.find(ID), { id: ID, username: "new" });
});

test("does not cache an outdated lookup that ends last", async () => {
  const { users, answer } = memoryOverSlowStore();
  const before = users.find(ID);
  users.forget(ID);
  const after = users.find(ID);
  answer(1, "new");
  await after;
  answer(0, "old");
  await before;
  assert.deepEqual(users.find(ID), { id: ID, username: "new" });
});

test("counts the second from the query, so a slow answer is cached for less time", async () => {
  const { users, clock, answer } = memoryOverSlowStore();
  const found = users.find(ID);
  clock.advance(600);
  answer(0, "owner");
  await found;
  clock.advance(399);
  assert.deepEqual(users.find(ID), { id: ID, username: "owner" });
  clock.advance(1);
  assert.ok(users.find(ID) instanceof Promise);
});

test("rejects all callers of a failed lookup, and queries again for the next", async () => {
  const { users, fail, answer } = memoryOverSlowStore();
  const both = Promise.allSettled([users.find(ID), users.find(ID)]);
  fail(0);
  assert.deepEqual(
    (await both).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  const again = users.find(ID);
  answer(1, "owner");
  assert.equal((await again)?.username, "owner");
});

/** The same, with a store that keeps extras. */
async function codesInUse(t: TestContext) {
  const store = await openStore(t);
  const asked = { hasExtra: 0 };
  const clock = fakeClock();
  const users = createUserMemory(
    {
      hasUsers: store.hasUsers,
      findUser: store.findUser,
      hasExtra(extra) {
        asked.hasExtra += 1;
        return store.hasExtra(extra);
      },
    },
    clock,
  );
  const user = await store.insertUser({ username: "owner", passwordHash: hashText("hash") });
  assert.ok(user);
  const turnOn = () => store.replaceExtra(user.id, "codes", undefined, "codes");
  return { asked, clock, users, id: user.id, turnOn };
}

test("remembers whether codes are in use for a second, or until a user changes", async (t) => {
  const { asked, clock, users, id, turnOn } = await codesInUse(t);
  assert.equal(await users.anyHas("codes"), false);
  await turnOn();
  clock.advance(999);
  assert.equal(await users.anyHas("codes"), false);
  assert.equal(asked.hasExtra, 1);
  clock.advance(1);
  assert.equal(await users.anyHas("codes"), true);
  assert.equal(await users.anyHas("codes"), true);
  assert.equal(asked.hasExtra, 2);
  users.forget(id);
  assert.equal(await users.anyHas("codes"), true);
  assert.equal(asked.hasExtra, 3);
});

test("asks again whether codes are in use after a failure", async () => {
  const failing = { failures: 1 };
  const users = createUserMemory(
    {
      hasUsers: async () => true,
      findUser: async () => undefined,
      async hasExtra() {
        failing.failures -= 1;
        if (failing.failures >= 0) throw new Error("store is busy");
        return true;
      },
    },
    fakeClock(),
  );
  await assert.rejects(async () => users.anyHas("codes"), /store is busy/);
  assert.equal(await users.anyHas("codes"), true);
});

test("a late failure does not drop a newer answer", async () => {
  const failures: ((error: Error) => void)[] = [];
  let asked = 0;
  const users = createUserMemory(
    {
      hasUsers: async () => true,
      findUser: async () => undefined,
      hasExtra() {
        asked += 1;
        if (asked > 1) return Promise.resolve(true);
        return new Promise((_, reject) => failures.push(reject));
      },
    },
    fakeClock(),
  );
  const first = users.anyHas("codes");
  users.forget("1" as UserId);
  assert.equal(await users.anyHas("codes"), true);
  failures[0]?.(new Error("store is busy"));
  await assert.rejects(async () => first, /store is busy/);
  assert.equal(await users.anyHas("codes"), true);
  assert.equal(asked, 2);
});

test("no codes are in use in a store that keeps no extras", async () => {
  const store = { hasUsers: async () => true, findUser: async () => undefined };
  assert.equal(createUserMemory(store, fakeClock()).anyHas("codes"), false);
});
