import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId, UserWatching } from "../../src/core/store.ts";
import { createUserMemory, type UserMemory } from "../../src/core/user-memory.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { hashText } from "../support/store.ts";

const ONE = "user-1" as UserId;
const OTHER = "user-2" as UserId;

/** A memory over a store that tells of changes when the test says so. */
function watchedMemory() {
  const clock = fakeClock();
  const told = { confirmedAt: Number.NEGATIVE_INFINITY, closed: 0 };
  const asked: UserId[] = [];
  const watchings: UserWatching[] = [];
  const memory = createUserMemory(
    {
      hasUsers: async () => true,
      async findUser(id) {
        asked.push(id);
        return { id, username: `name of ${id}`, passwordHash: hashText("hash") };
      },
      watchUsers(watching) {
        watchings.push(watching);
        return {
          confirmedAt: () => told.confirmedAt,
          async close() {
            told.closed += 1;
          },
        };
      },
    },
    clock,
  );
  const [watching, ...more] = watchings;
  assert.ok(watching !== undefined && more.length === 0, "the store is watched once");
  return { clock, told, asked, memory, watching };
}

const isRemembered = (memory: UserMemory, id: UserId): boolean =>
  !(memory.find(id) instanceof Promise);

test("a user is remembered for a second past the moment up to which the store has told of changes", async () => {
  const { clock, told, asked, memory } = watchedMemory();
  await memory.find(ONE);
  clock.advance(10_000);
  told.confirmedAt = clock.monotonic();
  assert.ok(isRemembered(memory, ONE));
  clock.advance(999);
  assert.ok(isRemembered(memory, ONE));
  assert.deepEqual(asked, [ONE]);
  clock.advance(1);
  assert.ok(!isRemembered(memory, ONE));
  assert.deepEqual(asked, [ONE, ONE]);
});

test("without word from the store a user is remembered for a second, as if it told nothing", async () => {
  const { clock, memory } = watchedMemory();
  await memory.find(ONE);
  clock.advance(999);
  assert.ok(isRemembered(memory, ONE));
  clock.advance(1);
  assert.ok(!isRemembered(memory, ONE));
});

test("however sure the store is, a user is read again after a minute", async () => {
  const { clock, told, memory } = watchedMemory();
  await memory.find(ONE);
  clock.advance(59_999);
  told.confirmedAt = clock.monotonic();
  assert.ok(isRemembered(memory, ONE));
  clock.advance(1);
  told.confirmedAt = clock.monotonic();
  assert.ok(!isRemembered(memory, ONE));
});

test("of a user whom the store tells of nothing is remembered, and of the others everything", async () => {
  const { memory, watching } = watchedMemory();
  await Promise.all([memory.find(ONE), memory.find(OTHER)]);
  assert.equal(memory.size, 2);
  watching.changed(ONE);
  assert.equal(memory.size, 1);
  assert.ok(isRemembered(memory, OTHER));
  assert.ok(!isRemembered(memory, ONE));
});

test("where the store may have missed a change, nobody is remembered", async () => {
  const { memory, watching } = watchedMemory();
  await Promise.all([memory.find(ONE), memory.find(OTHER)]);
  watching.changed("all");
  assert.equal(memory.size, 0);
  assert.ok(!isRemembered(memory, ONE) && !isRemembered(memory, OTHER));
});

test("where the store may have missed a change, look-ups under way are not remembered either", async () => {
  const { memory, watching } = watchedMemory();
  const before = memory.find(ONE);
  watching.changed("all");
  await before;
  assert.ok(!isRemembered(memory, ONE));
});

test("the store tells its moments by the memory's clock", () => {
  const { clock, watching } = watchedMemory();
  clock.advance(1_234);
  assert.equal(watching.now(), clock.monotonic());
});

test("closing the memory ends the watch", async () => {
  const { memory, told } = watchedMemory();
  await memory.close();
  assert.equal(told.closed, 1);
});

test("a memory over a store that tells nothing can be closed as well", async () => {
  const memory = createUserMemory(
    { hasUsers: async () => true, findUser: async () => undefined },
    fakeClock(),
  );
  await assert.doesNotReject(memory.close());
});
