import assert from "node:assert/strict";
import { test } from "node:test";
import { livingUsers } from "../../../src/core/accounts/living-users.ts";
import type { UserId } from "../../../src/core/records.ts";
import type { Store } from "../../../src/core/store.ts";
import { corePorts } from "../../support/core-ports.ts";
import { hashText } from "../../support/store.ts";

const LEFT_MS = 5_000;

/** An account that ends, and a store that finds it until then. */
async function ending(...[t]: Parameters<typeof corePorts>) {
  const ports = await corePorts(t);
  const endsAt = new Date(ports.clock.now() + LEFT_MS);
  const user = { username: "temp", passwordHash: hashText("x"), endsAt };
  const { id } = (await ports.store.users.insert(user)) ?? assert.fail();
  return { ...ports, id };
}

test("a user is found until the account ends, and the account still counts", async (t) => {
  const { clock, id, store } = await ending(t);
  const living = livingUsers(store, clock);
  const found = async () =>
    Promise.all([living.users.find(id), living.users.findByName("temp"), living.users.any()]);
  clock.advance(LEFT_MS - 1);
  const [byId, byName] = await found();
  assert.deepEqual([byId?.username, byName?.id], ["temp", id]);
  clock.advance(1);
  assert.deepEqual(await found(), [undefined, undefined, true]);
  assert.equal((await store.users.find(id))?.username, "temp", "the row stays");
});

test("an account with an invalid end has ended", async () => {
  const user = { id: "1", username: "temp", passwordHash: "x", endsAt: new Date(Number.NaN) };
  const store = { users: { find: async () => user } } as unknown as Store;
  const { users } = livingUsers(store, { now: () => 0 });
  assert.equal(await users.find("1" as UserId), undefined);
});
