import assert from "node:assert/strict";
import type { Device, User } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, TEXT, UNKNOWN_USER } from "./samples.ts";

const deviceOf = ({ id: userId }: User, id: string, fields: Partial<Device> = {}): Device => ({
  ...{ id, userId, createdAt: at(0), expiresAt: at(9), device: TEXT, boundTo: "now" },
  ...fields,
});

/** Remembered devices. */
export function testDevices(rule: Rule<With<"devices">>): void {
  rule("returns devices until they expire, on every connection", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    const [older, newer] = [deviceOf(owner, "a"), deviceOf(owner, "b", { createdAt: at(1) })];
    for (const one of [older, newer, deviceOf(guest, "c")]) await store.devices.insert(one);
    const { devices } = await connect();
    assert.deepEqual(await devices.find("a", at(8)), older);
    assert.deepEqual(await devices.listOf(owner.id, at(8), 9), [newer, older]);
    assert.deepEqual(await devices.listOf(owner.id, at(8), 1), [newer]);
    assert.equal(await devices.find("a", at(9)), undefined);
    assert.deepEqual(await devices.listOf(owner.id, at(9), 9), []);
    assert.equal(await devices.find("", at(0)), undefined);
    await assert.rejects(devices.insert(deviceOf(UNKNOWN_USER, "d")));
  });

  rule("replaces the user's devices that are bound to something else", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.devices.insert(deviceOf(owner, "a"));
    await store.devices.insert(deviceOf(guest, "b"));
    await store.devices.insert(deviceOf(owner, "c", { boundTo: "later" }));
    assert.equal(await store.devices.find("a", at(1)), undefined);
    for (const id of ["b", "c"]) assert.equal((await store.devices.find(id, at(1)))?.id, id);
  });

  rule("removes a device of its user only, once, and expired ones", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const { devices } = store;
    for (const id of ["a", "b"]) await devices.insert(deviceOf(owner, id));
    assert.equal(await devices.remove(guest.id, "a"), false);
    await onlyOne((one) => one.devices.remove(owner.id, "a"));
    assert.equal(await devices.find("a", at(1)), undefined);
    await devices.insert(deviceOf(guest, "c", { createdAt: at(10), expiresAt: at(19) }));
    assert.equal(await devices.find("b", at(1)), undefined, "expired at the insert");
    await store.users.remove(guest.id);
    assert.equal(await devices.find("c", at(10)), undefined, "those of a removed user");
  });
}
