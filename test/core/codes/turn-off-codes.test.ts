import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { removeCodes, turnOffCodes } from "../../../src/core/codes/turn-off-codes.ts";
import type { Event } from "../../../src/core/log/events.ts";
import { createSeals } from "../../../src/core/sessions/seals.ts";
import type { UserId } from "../../../src/core/store.ts";
import { eventually } from "../../support/eventually.ts";
import { OWNER } from "../../support/gate.ts";
import { CLIENT, unwatchedUsers, withCodes } from "./codes-ports.ts";

const ON = "codes_on: Turned on one-time codes of owner";
const OFF = "codes_off: Turned off one-time codes of owner";

async function scene(t: TestContext) {
  const codes = await withCodes(t);
  const { id } = await codes.owner();
  const turnOff = (code: string, currentPassword: string = OWNER.password, ports = codes.ports) =>
    turnOffCodes(ports, id, { currentPassword, code }, CLIENT);
  return { ...codes, turnOff };
}

for (const kind of ["code", "recovery code"] as const) {
  test(`turns codes off with the password and a ${kind}, and records it`, async (t) => {
    const { ports, owner, code, recoveryCodes, turnOff } = await scene(t);
    assert.equal(await turnOff(kind === "code" ? code() : (recoveryCodes[0] ?? "")), "off");
    assert.equal((await owner()).codes, undefined);
    assert.equal(await turnOff(code(), "wrong"), "already-off");
    assert.deepEqual(await ports.writtenEntries(), [ON, OFF]);
    assert.deepEqual(ports.log.lines, []);
  });
}

test("a process whose store reports no changes knows at once that codes are off", async (t) => {
  const { ports, code, turnOff } = await scene(t);
  const users = unwatchedUsers(ports);
  assert.equal(await users.anyHas("codes"), true);
  await turnOff(code(), OWNER.password, { ...ports, users });
  assert.equal(await users.anyHas("codes"), false);
});

test("turns codes off once if two requests do so at the same time", async (t) => {
  const { ports, code, turnOff } = await scene(t);
  const outcomes = await Promise.all([turnOff(code()), turnOff(code())]);
  assert.deepEqual(outcomes.sort(), ["already-off", "off"]);
  assert.deepEqual(await ports.writtenEntries(), [ON, OFF]);
});

test("keeps codes on without the password, without a code, and with a used one", async (t) => {
  const { ports, owner, code, turnOff } = await scene(t);
  assert.equal(await turnOff(code(), "wrong"), "current-password-incorrect");
  for (const entered of ["", code(-1)]) assert.equal(await turnOff(entered), "code-incorrect");
  assert.notEqual((await owner()).codes, undefined);
  const form = { currentPassword: OWNER.password, code: code() };
  assert.equal(await turnOffCodes(ports, "nobody" as UserId, form, CLIENT), "no-user");
  assert.deepEqual((await ports.writtenEntries()).slice(0, 1), [ON]);
});

test("limits how many codes can be tried, and counts wrong ones", async (t) => {
  const { ports, owner, code, turnOff } = await scene(t);
  for (let attempt = 1; attempt <= 5; attempt += 1) await turnOff(code(2));
  assert.equal(await turnOff(code()), "code-incorrect");
  await eventually(async () => (await owner()).codes?.includes('"wrong":5') || undefined);
  ports.clock.advance(60_000);
  assert.equal(await turnOff(code()), "off");
});

test("logs codes that cannot be read and keeps them on", async (t) => {
  const { ports, owner, code, turnOff } = await scene(t);
  const changed = { ...ports, seals: createSeals("another secret") };
  assert.equal(await turnOff(code(), OWNER.password, changed), "code-incorrect");
  assert.notEqual((await owner()).codes, undefined);
  assert.equal(ports.log.lines.length, 1);
});

test("an operator turns codes off by the username", async (t) => {
  const { ports, owner } = await withCodes(t);
  const recorded: Event[] = [];
  const record = async (event: Event) => void recorded.push(event);
  const operator = { store: ports.store, record };
  assert.equal(await removeCodes(operator, "nobody"), "no-user");
  assert.deepEqual(recorded, []);
  assert.equal(await removeCodes(operator, OWNER.username), "off");
  assert.equal((await owner()).codes, undefined);
  const types = () => recorded.map(({ type, author }) => [type, author]);
  assert.deepEqual(types(), [["codes_off", "cli"]]);
  assert.equal(await removeCodes(operator, OWNER.username), "already-off");
  assert.deepEqual(types(), [["codes_off", "cli"]]);
});
