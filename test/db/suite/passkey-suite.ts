import assert from "node:assert/strict";
import type { Passkey, User } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, TEXT, UNKNOWN_USER } from "./samples.ts";

const passkeyOf = ({ id: userId }: User, fields: Partial<Passkey> = {}): Passkey => ({
  ...{ id: "a", userId, name: TEXT, key: "bytes", counter: 7, addedAt: at(1.234) },
  ...fields,
});

/** Passkeys, and the challenges that they have answered. */
export function testPasskeys(rule: Rule<With<"passkeys">>): void {
  rule("lists the passkeys of a user, the oldest first", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.passkeys.any(), false);
    const [newer, older] = [passkeyOf(owner), passkeyOf(owner, { id: "b", addedAt: at(0.5) })];
    for (const one of [newer, older]) assert.equal(await store.passkeys.insert(one, 2), true);
    const { passkeys } = await connect();
    assert.equal(await passkeys.any(), true);
    assert.deepEqual(await passkeys.listOf(owner.id), [older, newer]);
    assert.deepEqual(await passkeys.listOf(guest.id), []);
  });

  rule("refuses a known ID, one more than the limit, and an unknown user", async (store) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.passkeys.insert(passkeyOf(owner), 1), true);
    for (const [passkey, why] of [
      [passkeyOf(guest), "the same ID"],
      [passkeyOf(owner, { id: "b" }), "a second one"],
      [passkeyOf(UNKNOWN_USER, { id: "c" }), "the user"],
    ] as const) {
      assert.equal(await store.passkeys.insert(passkey, 1), false, why);
    }
    assert.deepEqual(await store.passkeys.listOf(owner.id), [passkeyOf(owner)]);
  });

  rule("renames and removes the user's own passkey only", async ({ users, passkeys }) => {
    const { owner, guest } = await addTwo({ users });
    await passkeys.insert(passkeyOf(owner), 9);
    await passkeys.insert(passkeyOf(guest, { id: "b" }), 9);
    const name = `${TEXT}, renamed`;
    assert.equal(await passkeys.rename(guest.id, "a", name), false);
    assert.equal(await passkeys.rename(owner.id, "a", name), true);
    assert.deepEqual(await passkeys.listOf(owner.id), [passkeyOf(owner, { name })]);
    assert.equal(await passkeys.remove(guest.id, "a"), false);
    assert.equal(await passkeys.remove(owner.id, "a\0"), false);
    assert.equal(await passkeys.remove(owner.id, "a"), true);
    assert.equal(await passkeys.remove(owner.id, "a"), false);
    await users.remove(guest.id);
    assert.equal(await passkeys.any(), false, "those of a removed user go with it");
  });

  rule("accepts an answer to a challenge once, for all passkeys", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const minutes = (count: number): Date => at(count / 60);
    const answerOf = ({ id: userId }: User, id: string, until = 5) => ({
      ...{ id, userId, expiresAt: minutes(until) },
    });
    await onlyOne((one) => one.passkeys.claimChallenge(answerOf(owner, "nonce"), minutes(0)));
    for (const [answer, now, accepted] of [
      [answerOf(guest, "nonce"), 4.9, false],
      [answerOf(guest, "nonce"), 6.9, false],
      [answerOf(guest, "other"), 7.1, true],
      // A challenge is removed once it has expired by every clock.
      [answerOf(owner, "nonce", 15), 7.1, true],
    ] as const) {
      assert.equal(await store.passkeys.claimChallenge(answer, minutes(now)), accepted);
    }
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
