import assert from "node:assert/strict";
import type { Codes, UserId } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, UNKNOWN } from "./samples.ts";

const CODES: Codes = { secret: "sealed", lastStep: 5, recovery: ["one", "two_2"], wrong: 0 };
const PASSKEY = { name: "Phone", key: "bytes", counter: 0, addedAt: at(0) };
const LIMIT = 3;
const AGAIN = { from: CODES.secret, to: "sealed again" };

type Tested = With<"codes">;

/** An account with codes, and one without. */
async function turnedOn(store: Tested) {
  const users = await addTwo(store);
  assert.equal(await store.codes.begin(users.owner.id, "mark"), true);
  assert.equal(await store.codes.turnOn(users.owner.id, "mark", CODES), true);
  return users;
}

/** One-time codes. */
export function testCodes(rule: Rule<Tested>): void {
  rule("turns codes on for the last mark only, and once", async (store, { connect, onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const turnOn = (mark: string, one: Tested = store) => one.codes.turnOn(owner.id, mark, CODES);
    assert.equal(await turnOn("mark"), false, "not begun");
    await store.codes.begin(owner.id, "first");
    await store.codes.begin(owner.id, "second");
    assert.equal(await store.codes.find(owner.id), undefined, "a mark is not yet codes");
    assert.equal(await store.codes.any(), false);
    assert.equal(await turnOn("first"), false);
    await onlyOne((one) => turnOn("second", one));
    assert.deepEqual(await (await connect()).codes.find(owner.id), CODES);
    assert.equal(await store.codes.find(guest.id), undefined);
    assert.equal(await store.codes.any(), true);
    assert.equal(await store.codes.begin(owner.id, "third"), false, "codes are on");
    assert.equal(await turnOn("third"), false);
  });

  rule("turns codes off with the mark, and tells whether they were on", async (store) => {
    const { owner, guest } = await turnedOn(store);
    await store.codes.begin(guest.id, "mark");
    assert.equal(await store.codes.turnOff(guest.id), false);
    assert.equal(await store.codes.turnOn(guest.id, "mark", CODES), false, "the mark is gone");
    assert.equal(await store.codes.turnOff(owner.id), true);
    assert.equal(await store.codes.turnOff(owner.id), false);
    assert.equal(await store.codes.find(owner.id), undefined);
  });

  rule("removes all factors and sessions of one user", async (store, { race }) => {
    const { owner, guest } = await turnedOn(store);
    const { id: userId } = owner;
    const device = { id: "d", userId, createdAt: at(0), expiresAt: at(9), device: "", boundTo: "" };
    await store.devices.insert(device);
    await store.sessions.insert({ ...device, usedAt: at(0), address: "" });
    const insert = (one: Tested, user: UserId, id: string, from?: number) =>
      one.passkeys.insert({ ...PASSKEY, id, userId: user }, 99, from);
    await insert(store, guest.id, "of the guest");
    await insert(store, userId, "earlier");
    const ended = await race(async (one, i) => {
      if (i % 2 === 0) return one.codes.endFactors(userId, 1_000);
      await insert(one, userId, `${i}`);
      return undefined;
    }, 2);
    assert.ok(ended.every((one) => one !== false));
    assert.equal(await store.codes.find(userId), undefined);
    assert.deepEqual(await store.passkeys.listOf(userId), []);
    assert.equal((await store.passkeys.listOf(guest.id)).length, 1);
    assert.equal(await store.devices.find("d", at(0)), undefined);
    assert.equal(await store.sessions.find("d"), undefined);
    const { sessionsFrom = 0 } = (await store.users.find(userId)) ?? {};
    assert.equal(sessionsFrom, 1_007, "raised by each of eight calls");
    assert.equal((await insert(store, userId, "begun before", 1_006)) ?? false, false);
    assert.equal((await insert(store, userId, "begun since", 1_007)) ?? true, true);
    assert.equal((await store.users.find(guest.id))?.sessionsFrom, undefined);
    assert.equal(await store.codes.endFactors(UNKNOWN, 1_000), false);
  });

  rule("uses up a step and those before it", async (store, { onlyOne }) => {
    const { owner, guest } = await turnedOn(store);
    await store.codes.countWrong(owner.id, LIMIT);
    const useStep = (step: number, one: Tested = store, from = CODES.secret) =>
      one.codes.useStep(owner.id, step, { ...AGAIN, from }, LIMIT);
    assert.equal(await useStep(5), false);
    assert.equal(await useStep(7, store, "another"), false, "it has been replaced");
    await onlyOne((one) => useStep(7, one));
    assert.equal(await useStep(6, store, "sealed again"), false);
    const used = { ...CODES, lastStep: 7, secret: "sealed again" };
    assert.deepEqual(await store.codes.find(owner.id), used);
    assert.equal(await store.codes.useStep(guest.id, 9, AGAIN, LIMIT), false);
  });

  rule("counts wrong codes up to a limit, after which no step counts", async (store, { race }) => {
    const { owner, guest } = await turnedOn(store);
    const counts = await race((one) => one.codes.countWrong(owner.id, LIMIT));
    assert.deepEqual(counts.filter((count) => count !== undefined).sort(), [1, 2, 3]);
    assert.equal(await store.codes.useStep(owner.id, 9, AGAIN, LIMIT), false);
    assert.equal(await store.codes.countWrong(guest.id, LIMIT), undefined);
    assert.equal(await store.codes.useRecovery(owner.id, "one"), true);
    assert.equal(await store.codes.useStep(owner.id, 9, AGAIN, LIMIT), true, "it is unlocked");
  });

  rule("uses up each recovery code once, and replaces them", async (store, { onlyOne }) => {
    const { owner, guest } = await turnedOn(store);
    await onlyOne((one) => one.codes.useRecovery(owner.id, "two_2"));
    for (const hash of ["two_2", "on", "ne", "twox2", ""]) {
      assert.equal(await store.codes.useRecovery(owner.id, hash), false, hash);
    }
    assert.deepEqual((await store.codes.find(owner.id))?.recovery, ["one"]);
    assert.equal(await store.codes.renewRecovery(guest.id, ["new"]), false);
    assert.equal(await store.codes.renewRecovery(owner.id, ["new", "100%"]), true);
    assert.equal(await store.codes.useRecovery(owner.id, "one"), false);
    assert.equal(await store.codes.useRecovery(owner.id, "100%"), true);
    const renewed = await store.codes.find(owner.id);
    assert.deepEqual([renewed?.recovery, renewed?.renewals], [["new"], 1]);
    await store.users.remove(owner.id);
    assert.equal(await store.codes.any(), false, "those of a removed user go with it");
  });
}
