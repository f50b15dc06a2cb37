import assert from "node:assert/strict";
import type { Key, User } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, hashText, TEXT, UNKNOWN_USER } from "./samples.ts";

const keyOf = ({ id: userId }: User, id: string, fields: Partial<Key> = {}): Key => ({
  ...{ id, userId, name: TEXT, hash: `hash of ${id}`, createdAt: at(0) },
  ...fields,
});

/** Keys for programs. */
export function testKeys(rule: Rule<With<"keys">>): void {
  rule("returns keys as they were inserted, on every connection", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    const limits = {
      hosts: ["a.example", "b.example"],
      expiresAt: at(9),
      usedAt: at(1),
      factors: 2,
    };
    const [newer, older] = [keyOf(owner, "a", limits), keyOf(owner, "b", { createdAt: at(-1) })];
    for (const key of [newer, older]) assert.equal(await store.keys.insert(key, 2), true);
    const { keys, users } = await connect();
    assert.deepEqual(await keys.find("hash of a"), {
      key: newer,
      user: await users.find(owner.id),
    });
    assert.deepEqual(await keys.listOf(owner.id), [older, newer], "the oldest first");
    assert.deepEqual(await keys.listOf(guest.id), []);
    for (const unknown of ["", "a", "hash of A", "hash of a\0", "x".repeat(100_000)]) {
      assert.equal(await keys.find(unknown), undefined);
    }
  });

  rule("finds a key with its user, also after the end of the account", async (store) => {
    const { owner } = await addTwo(store);
    const account = { username: TEXT, passwordHash: hashText("a hash") };
    const temp = await store.users.insert({ ...account, groups: ["a", "b"], endsAt: at(-1) });
    assert.ok(temp);
    await store.users.endSessions(temp.id, 1_000);
    for (const [user, id] of [
      [owner, "a"],
      [temp, "b"],
    ] as const) {
      assert.equal(await store.keys.insert(keyOf(user, id), 1), true);
      const found = await store.keys.find(`hash of ${id}`);
      assert.deepEqual(found, { key: keyOf(user, id), user: await store.users.find(user.id) });
    }
    assert.equal((await store.keys.find("hash of b"))?.user.sessionsFrom, 1_000);
  });

  rule("refuses a known key, one more than the limit, and an unknown user", async (store) => {
    const { owner, guest } = await addTwo(store);
    assert.equal(await store.keys.insert(keyOf(owner, "a"), 1), true);
    for (const [key, why] of [
      [keyOf(guest, "a", { hash: "other" }), "the ID"],
      [keyOf(guest, "b", { hash: "hash of a" }), "the hash"],
      [keyOf(owner, "c"), "a second one"],
      [keyOf(UNKNOWN_USER, "d"), "the user"],
    ] as const) {
      assert.equal(await store.keys.insert(key, 1), false, why);
    }
    assert.equal(await store.keys.find("hash of d"), undefined);
  });

  rule("removes a key once, and those of a removed user", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["a", "b"]) await store.keys.insert(keyOf(owner, id), 9);
    await store.keys.insert(keyOf(guest, "c"), 9);
    assert.equal(await store.keys.remove("a", guest.id), undefined, "of another user");
    assert.equal(await store.keys.remove("a\0"), undefined);
    const removed = await onlyOne((one) => one.keys.remove("a", owner.id));
    assert.deepEqual(removed, keyOf(owner, "a"));
    assert.deepEqual(await store.keys.remove("b"), keyOf(owner, "b"));
    await store.users.remove(guest.id);
    for (const one of "abc") assert.equal(await store.keys.find(`hash of ${one}`), undefined);
  });

  rule("notes the last use of a key once an hour", async (store) => {
    const { owner } = await addTwo(store);
    for (const id of ["a", "b"]) await store.keys.insert(keyOf(owner, id), 9);
    const noted: unknown[] = [];
    for (const hours of [1, 1.99, 2, 0]) {
      await store.keys.noteUsed("a", at(hours));
      noted.push((await store.keys.find("hash of a"))?.key.usedAt);
    }
    assert.deepEqual(noted, [at(1), at(1), at(2), at(2)]);
    assert.equal((await store.keys.find("hash of b"))?.key.usedAt, undefined);
  });
}
