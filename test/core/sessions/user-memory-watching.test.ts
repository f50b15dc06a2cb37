import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { createUserMemory, type UserMemory } from "../../../src/core/sessions/user-memory.ts";
import type { UserWatching } from "../../../src/core/store.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { hashText } from "../../support/store.ts";

const ONE = "user-1" as UserId;
const OTHER = "user-2" as UserId;

/** A memory over a store that reports changes when the test asks for it. */
function watchedMemory() {
  const clock = fakeClock();
  const told = { confirmedAt: Number.NEGATIVE_INFINITY, closed: 0 };
  const asked: UserId[] = [];
  const watchings: UserWatching[] = [];
  const memory = createUserMemory(
    {
      users: {
        any: async () => true,
        async find(id) {
          asked.push(id);
          return { id, username: `name of ${id}`, passwordHash: hashText("hash") };
        },
      },
      changes: {
        watch(watching) {
          watchings.push(watching);
          return {
            confirmedAt: () => told.confirmedAt,
            async close() {
              told.closed += 1;
            },
          };
        },
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

test("caches a user for a second after the last confirmation of the store", async () => {
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

test("expires an entry that a confirmation has prolonged while it was read again", async () => {
  const { clock, told, memory } = watchedMemory();
  const held = await memory.find(ONE);
  clock.advance(1_000);
  const again = memory.find(ONE);
  assert.ok(again instanceof Promise);
  told.confirmedAt = clock.monotonic();
  assert.equal(memory.find(ONE), held);
  await again;
  memory.forget(ONE);
  assert.ok(held !== undefined && held.until <= clock.monotonic(), "sessions hold it still");
});

test("what is not a time confirms nothing", async () => {
  const { clock, told, memory } = watchedMemory();
  for (const confirmedAt of [Number.NaN, undefined, null, "soon", {}]) {
    await memory.find(ONE);
    clock.advance(1_000);
    told.confirmedAt = confirmedAt as number;
    assert.ok(!isRemembered(memory, ONE), String(confirmedAt));
    await memory.find(ONE);
  }
});

test("reads a user again after a minute despite confirmations", async () => {
  const { clock, told, memory } = watchedMemory();
  await memory.find(ONE);
  clock.advance(59_999);
  told.confirmedAt = clock.monotonic();
  assert.ok(isRemembered(memory, ONE));
  clock.advance(1);
  told.confirmedAt = clock.monotonic();
  assert.ok(!isRemembered(memory, ONE));
});

test("drops the user that the store reports as changed, or all if it may have missed one", async () => {
  const { memory, watching } = watchedMemory();
  await Promise.all([memory.find(ONE), memory.find(OTHER)]);
  assert.equal(memory.size, 2);
  watching.changed(ONE);
  assert.equal(memory.size, 1);
  assert.ok(isRemembered(memory, OTHER));
  assert.ok(!isRemembered(memory, ONE));
  await memory.find(ONE);
  watching.changed("all");
  assert.equal(memory.size, 0);
  assert.ok(!isRemembered(memory, ONE) && !isRemembered(memory, OTHER));
});

test("does not cache running lookups when the store may have missed a change", async () => {
  const { memory, watching } = watchedMemory();
  const before = memory.find(ONE);
  watching.changed("all");
  await before;
  assert.ok(!isRemembered(memory, ONE));
});

test("gives the store its clock, and ends the watch on close", async () => {
  const { clock, memory, told, watching } = watchedMemory();
  clock.advance(1_234);
  assert.equal(watching.monotonic(), clock.monotonic());
  await memory.close();
  assert.equal(told.closed, 1);
});
