import assert from "node:assert/strict";
import { test } from "node:test";
import { removeCodes, turnOffCodes } from "../../../src/core/codes/turn-off-codes.ts";
import type { Event } from "../../../src/core/events.ts";
import { createSeals } from "../../../src/core/seals.ts";
import type { UserId } from "../../../src/core/store.ts";
import { OWNER } from "../../support/gate.ts";
import { CLIENT, STEP_MS, unwatchedUsers, withCodes } from "./codes-ports.ts";

const ON = "codes_on: Turned on one-time codes of owner";
const OFF = "codes_off: Turned off one-time codes of owner";

for (const kind of ["code", "recovery code"] as const) {
  test(`turns codes off with the password and a ${kind}, and records it`, async (t) => {
    const { ports, owner, code, recoveryCodes } = await withCodes(t);
    ports.clock.advance(STEP_MS);
    const entered = kind === "code" ? code() : (recoveryCodes[0] ?? "");
    const form = { currentPassword: OWNER.password, code: entered };
    assert.equal(await turnOffCodes(ports, (await owner()).id, form, CLIENT), "off");
    assert.equal((await owner()).codes, undefined);
    const wrong = { ...form, currentPassword: "wrong" };
    assert.equal(await turnOffCodes(ports, (await owner()).id, wrong, CLIENT), "already-off");
    assert.deepEqual(await ports.writtenEntries(), [ON, OFF]);
    assert.deepEqual(ports.log.lines, []);
  });
}

test("a process whose store reports no changes knows at once that codes are off", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  ports.clock.advance(STEP_MS);
  const users = unwatchedUsers(ports);
  assert.equal(await users.anyHas("codes"), true);
  const form = { currentPassword: OWNER.password, code: code() };
  await turnOffCodes({ ...ports, users }, (await owner()).id, form, CLIENT);
  assert.equal(await users.anyHas("codes"), false);
});

test("turns codes off once if two requests do so at the same time", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  ports.clock.advance(STEP_MS);
  const { id } = await owner();
  const form = { currentPassword: OWNER.password, code: code() };
  const both = [turnOffCodes(ports, id, form, CLIENT), turnOffCodes(ports, id, form, CLIENT)];
  assert.deepEqual((await Promise.all(both)).sort(), ["already-off", "off"]);
  assert.deepEqual(await ports.writtenEntries(), [ON, OFF]);
});

test("keeps codes on without the password, without a code, and with a used one", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  const { id } = await owner();
  const used = code();
  for (const [currentPassword, entered, outcome] of [
    ["wrong", code(1), "current-password-incorrect"],
    [OWNER.password, "", "code-incorrect"],
    [OWNER.password, used, "code-incorrect"],
  ] as const) {
    const form = { currentPassword, code: entered };
    assert.equal(await turnOffCodes(ports, id, form, CLIENT), outcome);
  }
  assert.notEqual((await owner()).codes, undefined);
  const form = { currentPassword: OWNER.password, code: code(1) };
  assert.equal(await turnOffCodes(ports, "nobody" as UserId, form, CLIENT), "no-user");
  assert.deepEqual(await ports.writtenEntries(), [ON]);
});

test("limits how many codes can be tried", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  ports.clock.advance(STEP_MS);
  const { id } = await owner();
  const wrong = { currentPassword: OWNER.password, code: code(2) };
  for (let attempt = 1; attempt <= 5; attempt += 1) await turnOffCodes(ports, id, wrong, CLIENT);
  const right = { ...wrong, code: code() };
  assert.equal(await turnOffCodes(ports, id, right, CLIENT), "code-incorrect");
  ports.clock.advance(60_000);
  assert.equal(await turnOffCodes(ports, id, { ...wrong, code: code() }, CLIENT), "off");
});

test("logs codes that cannot be read and keeps them on", async (t) => {
  const { ports, owner, code } = await withCodes(t);
  ports.clock.advance(STEP_MS);
  const form = { currentPassword: OWNER.password, code: code() };
  const changed = { ...ports, seals: createSeals("another secret") };
  assert.equal(await turnOffCodes(changed, (await owner()).id, form, CLIENT), "code-incorrect");
  assert.notEqual((await owner()).codes, undefined);
  assert.equal(ports.log.lines.length, 1);
});

test("an operator turns codes off by the username", async (t) => {
  const { ports, owner } = await withCodes(t);
  const recorded: Event[] = [];
  const operator = {
    store: ports.store,
    record: async (event: Event) => void recorded.push(event),
  };
  assert.equal(await removeCodes(operator, "nobody"), "no-user");
  assert.deepEqual(recorded, []);
  assert.equal(await removeCodes(operator, OWNER.username), "off");
  assert.equal((await owner()).codes, undefined);
  const types = () => recorded.map(({ type, author }) => [type, author]);
  assert.deepEqual(types(), [["codes_off", "cli"]]);
  assert.equal(await removeCodes(operator, OWNER.username), "already-off");
  assert.deepEqual(types(), [["codes_off", "cli"]]);
});
