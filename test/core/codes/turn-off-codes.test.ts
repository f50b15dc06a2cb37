import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { removeCodes, turnOffCodes } from "../../../src/core/codes/turn-off-codes.ts";
import type { Event } from "../../../src/core/log/events.ts";
import type { UserId } from "../../../src/core/records.ts";
import { eventually } from "../../support/eventually.ts";
import { OWNER } from "../../support/gate.ts";
import { CLIENT, withCodes } from "./codes-ports.ts";

const ON = "codes_on: Turned on one-time codes of owner";
const OFF = "codes_off: Turned off one-time codes of owner";

async function scene(t: TestContext) {
  const codes = await withCodes(t);
  const turnOff = (code: string, currentPassword: string = OWNER.password) =>
    turnOffCodes(codes.ports, codes.user.id, { currentPassword, code }, CLIENT);
  return { ...codes, turnOff };
}

for (const kind of ["code", "recovery code"] as const) {
  test(`turns codes off with the password and a ${kind}, and records it`, async (t) => {
    const { ports, codes, code, recoveryCodes, turnOff } = await scene(t);
    assert.equal(await turnOff(kind === "code" ? code() : (recoveryCodes[0] ?? "")), "off");
    assert.equal(await codes(), undefined);
    assert.equal(await turnOff(code(), "wrong"), "already-off");
    const used = "recovery_code_used: Used a recovery code of owner";
    assert.deepEqual(await ports.writtenEntries(), [ON, ...(kind === "code" ? [] : [used]), OFF]);
    assert.deepEqual(ports.log.lines, []);
  });
}

test("turns codes off once if two requests do so at the same time", async (t) => {
  const { ports, code, recoveryCodes, turnOff } = await scene(t);
  const outcomes = await Promise.all([turnOff(code()), turnOff(recoveryCodes[0] ?? "")]);
  assert.equal(outcomes.filter((outcome) => outcome === "off").length, 1);
  const entries = await ports.writtenEntries();
  assert.equal(entries.filter((entry) => entry === OFF).length, 1);
});

test("keeps codes on without the password, without a code, and with a wrong or used one", async (t) => {
  const { ports, codes, code, turnOff } = await scene(t);
  assert.equal(await turnOff(code(), "wrong"), "current-password-incorrect");
  for (const entered of ["", code(-1), code(2)])
    assert.equal(await turnOff(entered), "code-incorrect");
  await eventually(async () => (await codes())?.wrong === 2 || undefined);
  const form = { currentPassword: OWNER.password, code: code() };
  assert.equal(await turnOffCodes(ports, "nobody" as UserId, form, CLIENT), "no-user");
  assert.deepEqual((await ports.writtenEntries()).slice(0, 1), [ON]);
});

test("an operator turns codes off by the username", async (t) => {
  const { ports, codes } = await withCodes(t);
  const recorded: Event[] = [];
  const record = async (event: Event) => void recorded.push(event);
  const operator = { store: ports.store, record };
  assert.equal(await removeCodes(operator, "nobody"), "no-user");
  assert.deepEqual(recorded, []);
  assert.equal(await removeCodes(operator, OWNER.username), "off");
  assert.equal(await codes(), undefined);
  assert.equal(await removeCodes(operator, OWNER.username), "already-off");
  assert.deepEqual(
    recorded.map(({ type, author }) => [type, author]),
    [["codes_off", "cli"]],
  );
});
