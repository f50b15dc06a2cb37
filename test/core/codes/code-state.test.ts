import assert from "node:assert/strict";
import { test } from "node:test";
import { newCodeState, recoveryCodesLeft, useCode } from "../../../src/core/codes/code-state.ts";
import { createSeals } from "../../../src/core/sessions/seals.ts";
import type { StoredUser, UserId } from "../../../src/core/store.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { hashText } from "../../support/store.ts";

const ports = { seals: createSeals("a secret"), clock: fakeClock() };
const ID = "1" as UserId;
const { text, recoveryCodes } = newCodeState(ports.seals, ID, Buffer.alloc(20), 0);
const [recoveryCode = ""] = recoveryCodes;
const state: { readonly recovery: readonly string[] } = JSON.parse(text);

const use = (codes: string, entered: string) => {
  const user: StoredUser = { id: ID, username: "owner", passwordHash: hashText("a hash"), codes };
  return useCode(ports, user, entered);
};

test("counts the recovery codes that are left", () => {
  assert.equal(recoveryCodesLeft(text), 10);
  const used = use(text, recoveryCode);
  assert.ok(used.kind === "recovery-code");
  assert.equal(recoveryCodesLeft(used.next), 9);
  assert.equal(recoveryCodesLeft("not JSON"), 0);
});

for (const damage of [
  ...["", "{", "null", "[]", '{"secret":1}', '{"secret":"","lastStep":0}'],
  ...[{ secret: 1 }, { lastStep: "0" }, { lastStep: 0.5 }, { recovery: "text" }, { wrong: "1" }],
  { recovery: [...state.recovery, 1] },
]) {
  test(`does not read a state with ${JSON.stringify(damage).slice(0, 40)}`, () => {
    const damaged = typeof damage === "string" ? damage : JSON.stringify({ ...state, ...damage });
    assert.deepEqual(use(damaged, recoveryCode), { kind: "unreadable" });
    assert.equal(recoveryCodesLeft(damaged), 0);
  });
}

test("makes other recovery codes each time", () => {
  const other = newCodeState(ports.seals, ID, Buffer.alloc(20), 0);
  assert.equal(new Set([...recoveryCodes, ...other.recoveryCodes]).size, 20);
});

test("accepts a recovery code only without further characters", () => {
  for (const entered of [`x${recoveryCode}`, `${recoveryCode}x`, `${recoveryCode}0`]) {
    assert.equal(use(text, entered).kind, "wrong", entered);
  }
  assert.equal(use(text, "0".repeat(25)).kind, "wrong", "an unknown code");
});

test("reads a state without a count of wrong codes, as older versions wrote it", () => {
  const { wrong, ...older } = JSON.parse(text);
  assert.equal(wrong, 0);
  assert.equal(use(JSON.stringify(older), recoveryCode).kind, "recovery-code");
});
