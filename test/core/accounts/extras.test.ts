import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { changeExtra, type ExtraChange, keepsExtras } from "../../../src/core/accounts/extras.ts";
import type { StoredUser } from "../../../src/core/store.ts";
import { accountPorts } from "./account-ports.ts";

async function withUser(t: TestContext) {
  const { store } = await accountPorts(t, "guest", "owner");
  const owner = await store.findUserByUsername("owner");
  assert.ok(owner);
  return { store, owner, passkeys: async () => (await store.findUser(owner.id))?.passkeys };
}

/** Adds a letter, and tells how many there were. */
const add =
  (letter: string) =>
  ({ passkeys = "" }: StoredUser): ExtraChange<number> => ({
    kind: "replace",
    by: `${passkeys}${letter}`,
    outcome: passkeys.length,
  });

test("replaces an extra, removes it, and leaves it as it is", async (t) => {
  const { store, owner, passkeys } = await withUser(t);
  assert.equal(await changeExtra(store, owner, "passkeys", add("a")), 0);
  assert.equal(await passkeys(), "a");
  const now = { ...owner, passkeys: "a" };
  const keep = () => ({ kind: "keep", outcome: "kept" }) as const;
  assert.equal(await changeExtra(store, now, "passkeys", keep), "kept");
  const remove = () => ({ kind: "replace", by: undefined, outcome: "removed" }) as const;
  assert.equal(await changeExtra(store, now, "passkeys", remove), "removed");
  assert.equal(await passkeys(), undefined);
});

test("loses no change of several at the same time", async (t) => {
  const { store, owner, passkeys } = await withUser(t);
  const letters = ["a", "b", "c", "d", "e"];
  const outcomes = await Promise.all(
    letters.map((letter) => changeExtra(store, owner, "passkeys", add(letter))),
  );
  assert.deepEqual(outcomes.map(Number).sort(), [0, 1, 2, 3, 4]);
  assert.deepEqual([...((await passkeys()) ?? "")].sort(), letters);
});

test("reports a user that has been removed in the meantime", async (t) => {
  const { store, owner } = await withUser(t);
  await store.removeUser(owner.id);
  assert.equal(await changeExtra(store, owner, "passkeys", add("a")), "no-user");
});

test("a store keeps extras if it has both of their methods", async (t) => {
  const { replaceExtra, hasExtra } = (await withUser(t)).store;
  assert.equal(keepsExtras({ replaceExtra, hasExtra }), true);
  assert.equal(keepsExtras({ replaceExtra }), false);
  assert.equal(keepsExtras({ hasExtra }), false);
});
