import assert from "node:assert/strict";
import type { Passkey, User } from "../core/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo } from "./samples.ts";

const at = (seconds: number): Date => new Date(1_000 * seconds);

const passkeyOf = ({ id }: User, fields: Partial<Passkey> = {}): Passkey => ({
  id: "a",
  userId: id,
  name: "O'Ne\"il's <key> é",
  key: "bytes",
  counter: 7,
  addedAt: at(1.234),
  ...fields,
});

const answerOf = ({ id: userId }: User, id: string, expiresAt = at(300)) => ({
  id,
  userId,
  expiresAt,
});

/** Passkeys, and the challenges that they have answered. */
export function testPasskeys(rule: Rule<With<"passkeys">>): void {
  rule(
    "lists the passkeys of a user, the oldest first",
    async ({ users, passkeys }, { connect }) => {
      const { owner, guest } = await addTwo({ users });
      assert.equal(await passkeys.any(), false);
      const [newer, older] = [passkeyOf(owner), passkeyOf(owner, { id: "b", addedAt: at(0.5) })];
      for (const one of [newer, older]) assert.equal(await passkeys.insert(one, 2), true);
      const other = await connect();
      assert.equal(await other.passkeys.any(), true);
      assert.deepEqual(await other.passkeys.listOf(owner.id), [older, newer]);
      assert.deepEqual(await other.passkeys.listOf(guest.id), []);
    },
  );

  rule("refuses a known ID, one more than the limit, and an unknown user", async (store) => {
    const { owner, guest } = await addTwo(store);
    const insert = (one: Passkey) => store.passkeys.insert(one, 1);
    assert.equal(await insert(passkeyOf(owner)), true);
    assert.equal(await insert(passkeyOf(guest)), false, "the same ID");
    assert.equal(await insert(passkeyOf(owner, { id: "b" })), false, "a second one");
    assert.equal(await insert(passkeyOf({ ...guest, id: "x" as User["id"] }, { id: "c" })), false);
    assert.deepEqual(await store.passkeys.listOf(owner.id), [passkeyOf(owner)]);
  });

  rule("renames and removes the user's own passkey only", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.passkeys.insert(passkeyOf(owner), 9);
    await store.passkeys.insert(passkeyOf(guest, { id: "b" }), 9);
    const name = "O'Ne\"il's <phone>";
    assert.equal(await store.passkeys.rename(guest.id, "a", name), false);
    assert.equal(await store.passkeys.rename(owner.id, "b", name), false);
    assert.equal(await store.passkeys.rename(owner.id, "a", name), true);
    assert.deepEqual(await store.passkeys.listOf(owner.id), [passkeyOf(owner, { name })]);
    assert.equal(await store.passkeys.remove(guest.id, "a"), false);
    assert.equal(await store.passkeys.remove(owner.id, "a\0"), false);
    assert.equal(await store.passkeys.remove(owner.id, "a"), true);
    assert.equal(await store.passkeys.remove(owner.id, "a"), false);
    await store.users.remove(guest.id);
    assert.equal(await store.passkeys.any(), false, "those of a removed user go with it");
  });

  rule("accepts an answer to a challenge once, for all passkeys", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    await onlyOne((one) => one.passkeys.answer(answerOf(owner, "nonce"), at(0)));
    assert.equal(await store.passkeys.answer(answerOf(guest, "nonce"), at(299)), false);
    assert.equal(await store.passkeys.answer(answerOf(guest, "nonce"), at(419)), false);
    assert.equal(await store.passkeys.answer(answerOf(guest, "other"), at(421)), true);
    assert.equal(
      await store.passkeys.answer(answerOf(owner, "nonce", at(900)), at(421)),
      true,
      "a challenge is removed once it has expired by every clock",
    );
  });

  rule("notes the use of a passkey only if its counter grows", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    await store.passkeys.insert(passkeyOf(owner), 9);
    const use = (counter: number, user = owner) =>
      store.passkeys.use(user.id, "a", counter, at(counter));
    assert.deepEqual([await use(7), await use(0), await use(9, guest)], [false, false, false]);
    assert.equal(await use(8), true);
    const used = { ...passkeyOf(owner), counter: 8, usedAt: at(8) };
    assert.deepEqual(await store.passkeys.listOf(owner.id), [used]);
    await onlyOne((one) => one.passkeys.use(owner.id, "a", 9, at(9)));
    await store.passkeys.insert(passkeyOf(owner, { id: "b", counter: 0 }), 9);
    for (let i = 0; i < 2; i += 1)
      assert.equal(await store.passkeys.use(owner.id, "b", 0, at(1)), true, "it does not count");
  });
}
