import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MaybePromise } from "../../../src/core/base/maybe-promise.ts";
import {
  createUserMemory,
  type RememberedUser,
  type UserMemory,
} from "../../../src/core/sessions/user-memory.ts";
import type { StoredUser, User, UserId } from "../../../src/db/records.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { addTo, hashText, openStore } from "../../support/store.ts";

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

/** A memory over the real store without its reports of changes, and what it is asked. */
async function memoryOverStore(t: TestContext) {
  const store = await openStore(t);
  const asked = { any: t.mock.fn(store.users.any), findActive: t.mock.fn(store.users.findActive) };
  const clock = fakeClock();
  const memory = createUserMemory({ users: asked }, clock);
  const times = (method: keyof typeof asked): number => asked[method].mock.callCount();
  const insert = async (): Promise<UserId> => (await addTo(store, "owner")).id;
  return { store, times, clock, users: usersOf(memory), memory, insert };
}

test("returns a frozen user without a promise for one second, and then looks it up again", async (t) => {
  const { times, clock, users, insert } = await memoryOverStore(t);
  const id = await insert();
  const user = await users.find(id);
  assert.deepEqual(user, { id, username: "owner" }, "without the hash");
  assert.ok(Object.isFrozen(user));
  clock.advance(999);
  assert.deepEqual(users.find(id), { id, username: "owner" });
  assert.equal(times("findActive"), 1);
  clock.advance(1);
  assert.ok(users.find(id) instanceof Promise, "the use did not extend the second");
  assert.equal(times("findActive"), 2);
});

test("looks a forgotten user up at once, and expires the entry that a session holds", async (t) => {
  const { times, clock, memory, insert } = await memoryOverStore(t);
  const id = await insert();
  const held = await memory.find(id);
  assert.equal(held?.until, clock.monotonic() + 1_000);
  memory.forget(id);
  assert.ok(held.until <= clock.monotonic());
  assert.ok(memory.find(id) instanceof Promise);
  assert.equal(times("findActive"), 2);
});

test("shares one query between concurrent lookups of one user", async (t) => {
  const { times, users, insert } = await memoryOverStore(t);
  const id = await insert();
  const found = await Promise.all(Array.from({ length: 50 }, () => users.find(id)));
  assert.deepEqual(found, Array(50).fill({ id, username: "owner" }));
  assert.equal(times("findActive"), 1);
});

test("shares no query that began a second ago, since the user may have changed", async (t) => {
  const { store, clock, insert } = await memoryOverStore(t);
  const id = await insert();
  const before = await store.users.find(id);
  const slow = Promise.withResolvers<StoredUser | undefined>();
  const answers = [slow.promise, store.users.find(id)];
  const find = t.mock.fn(async () => answers.shift());
  const memory = createUserMemory({ users: { ...store.users, findActive: find } }, clock);
  const first = memory.find(id);
  clock.advance(999);
  assert.equal(memory.find(id), first);
  await store.users.endSessions(id, 5);
  answers[0] = store.users.find(id);
  clock.advance(1);
  assert.equal((await memory.find(id))?.sessionsFrom, 5);
  slow.resolve(before);
  assert.equal((await first)?.until, 0, "the late answer is not remembered");
});

test("does not cache a missing user", async (t) => {
  const { times, users } = await memoryOverStore(t);
  assert.equal(await users.find(ID), undefined);
  assert.equal(await users.find(ID), undefined);
  assert.equal(times("findActive"), 2);
});

test("queries whether an account exists until the answer is yes", async (t) => {
  const { times, users, insert } = await memoryOverStore(t);
  assert.equal(await users.anyExists(), false);
  assert.equal(await users.anyExists(), false);
  await insert();
  assert.equal(await users.anyExists(), true);
  assert.equal(times("any"), 3);
  assert.equal(users.anyExists(), true, "without a promise");
  assert.equal(times("any"), 3);
});

/** Look-ups that end when the test says so: the store answers too fast to be overtaken. */
function memoryOverSlowStore() {
  const answers: PromiseWithResolvers<StoredUser | undefined>[] = [];
  const clock = fakeClock();
  const users = createUserMemory(
    {
      users: {
        any: () => Promise.reject(new Error("not asked for")),
        findActive() {
          const answer = Promise.withResolvers<StoredUser | undefined>();
          answers.push(answer);
          return answer.promise;
        },
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
  const outcomes = (await both).map(({ status }) => status);
  assert.deepEqual(outcomes, ["rejected", "rejected"]);
  const again = users.find(ID);
  answer(1, "owner");
  assert.equal((await again)?.username, "owner");
});
