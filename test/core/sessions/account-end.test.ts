import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../../src/core/base/clock.ts";
import { createUserMemory } from "../../../src/core/sessions/user-memory.ts";
import type { StoredUser, UserId } from "../../../src/db/records.ts";
import { corePorts } from "../../support/core-ports.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { hashText } from "../../support/store.ts";

const LEFT_MS = 5_000;

/** An account that ends, and a store that finds it until then. */
async function ending(...[t]: Parameters<typeof corePorts>) {
  const ports = await corePorts(t);
  const endsAt = new Date(ports.clock.now() + LEFT_MS);
  const user = { username: "temp", passwordHash: hashText("x"), endsAt };
  const { id } = (await ports.store.users.insert(user)) ?? assert.fail();
  /** What guards remember. */
  const remembering = (clock: Clock) => createUserMemory(ports.store, clock);
  return { ...ports, id, remembering };
}

test("a user read within the last second is remembered until the end only", async (t) => {
  const { clock, remembering, id } = await ending(t);
  const memory = remembering(clock);
  clock.advance(LEFT_MS - 500);
  const known = await memory.find(id);
  assert.equal(known?.until, clock.monotonic() + 500, "guards compare this time");
  clock.advance(499);
  assert.equal(memory.find(id), known, "from memory");
  clock.advance(1);
  assert.equal(await memory.find(id), undefined);
});

test("a remembered user is forgotten when the system clock is set past the end", async (t) => {
  const { clock, remembering, id } = await ending(t);
  let set = 0;
  const memory = remembering({ ...clock, now: () => clock.now() + set });
  await memory.find(id);
  set = LEFT_MS;
  clock.advance(1_000);
  assert.equal(await memory.find(id), undefined);
});

test("an account that ends while it is read is not found, also by those who wait for the same query", async () => {
  const clock = fakeClock();
  const { promise, resolve } = Promise.withResolvers<StoredUser>();
  const users = { any: async () => true, findActive: () => promise };
  const memory = createUserMemory({ users }, clock);
  const id = "1" as UserId;
  const first = memory.find(id);
  clock.advance(600);
  const second = memory.find(id);
  const endsAt = new Date(clock.now());
  resolve({ id, username: "temp", passwordHash: hashText("x"), endsAt });
  assert.deepEqual(await Promise.all([first, second]), [undefined, undefined]);
  assert.equal(memory.size, 0);
});
