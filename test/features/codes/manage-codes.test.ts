import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/db/records.ts";
import {
  beginCodes,
  confirmCodes,
  renewRecoveryCodes,
  turnOffCodes,
} from "../../../src/features/codes/manage-codes.ts";
import { computeCode, getStep } from "../../../src/features/codes/totp.ts";
import { removeCodes } from "../../../src/features/people/accounts.ts";
import { createCoreServices } from "../../support/core-services.ts";
import { decodeBase32 } from "../../support/one-time-codes.ts";
import { addTo } from "../../support/store.ts";
import { CLIENT, withCodes } from "./codes-services.ts";

const NOBODY = "nobody" as UserId;
const MINUTE_MS = 60_000;
const NEVER = { kind: "not-begun" };

async function begun(t: TestContext) {
  const ports = await createCoreServices(t);
  const { id } = await ports.insertOwner();
  const begin = () => beginCodes(ports, id);
  const outcome = await begin();
  assert.ok(outcome.kind === "begun");
  const { secret, sealed } = outcome.begun;
  const codeNow = (key: string) => computeCode(decodeBase32(key), getStep(ports.clock.now()));
  return {
    ports,
    begin,
    begun: outcome.begun,
    code: () => codeNow(secret),
    confirm: (code: string, by = id, text = sealed) =>
      confirmCodes(ports, by, { sealed: text, code }, CLIENT),
    /** Confirms another begin with its own code. */
    confirmOther: (other: typeof outcome.begun) =>
      confirmCodes(ports, id, { sealed: other.sealed, code: codeNow(other.secret) }, CLIENT),
    codes: () => ports.store.codes.find(id),
    turnOff: () => removeCodes({ ...ports, record: async () => {} }, id),
  };
}

test("begins for an account that exists, and turns nothing on", async (t) => {
  const { ports, begin, codes } = await begun(t);
  assert.deepEqual(await beginCodes(ports, NOBODY), { kind: "no-user" });
  assert.equal(await codes(), undefined);
  t.mock.method(ports.store.users, "findActive", async () => undefined);
  assert.deepEqual(await begin(), { kind: "no-user" }, "an account that has ended");
});

test("turns codes on with a code of the new secret within 15 minutes", async (t) => {
  const { ports, confirm, code, codes } = await begun(t);
  ports.clock.advance(15 * MINUTE_MS);
  const changed = t.mock.method(ports, "onFactorsChanged");
  const outcome = await confirm(` ${code()} `);
  assert.equal(changed.mock.callCount(), 1);
  assert.equal(outcome.kind === "on" && outcome.recoveryCodes.length, 10);
  assert.notEqual(await codes(), undefined);
  assert.deepEqual(await ports.writtenEntries(), ["codes_on: Turned on one-time codes of owner"]);
});

test("lets the user try again after a wrong code", async (t) => {
  const { begun: given, confirm, codes } = await begun(t);
  assert.deepEqual(await confirm("wrong"), { kind: "code-incorrect", begun: given });
  assert.equal(await codes(), undefined);
});

test("does not confirm what was begun too long ago, never, or for another account", async (t) => {
  const { ports, confirm, code, codes } = await begun(t);
  const guest = await addTo(ports.store, "guest");
  assert.deepEqual(await confirm(code(), guest.id), NEVER);
  assert.deepEqual(await confirm(code(), undefined, ""), NEVER);
  assert.deepEqual(await confirm(code(), NOBODY), { kind: "no-user" });
  ports.clock.advance(15 * MINUTE_MS + 1);
  assert.deepEqual(await confirm(code()), NEVER);
  assert.equal(await codes(), undefined);
});

test("confirms only the last of several begins, and none after an end", async (t) => {
  const { begin, begun: first, confirmOther, turnOff } = await begun(t);
  const [one, other] = await Promise.all([begin(), begin()]);
  assert.ok(one.kind === "begun" && other.kind === "begun");
  assert.deepEqual(await confirmOther(first), NEVER, "begun again twice");
  const kinds = [(await confirmOther(one.begun)).kind, (await confirmOther(other.begun)).kind];
  const isOnce = ["not-begun on", "on already-on"].includes(kinds.join(" "));
  assert.ok(isOnce, `the last of two begins, not ${kinds}`);
  assert.equal(await turnOff(), "off");
  for (const each of [first, one.begun, other.begun])
    assert.deepEqual(await confirmOther(each), NEVER);
});

test("an operator who turns codes off also ends what was begun", async (t) => {
  const { confirm, code, turnOff } = await begun(t);
  assert.equal(await turnOff(), "already-off");
  assert.deepEqual(await confirm(code()), NEVER);
});

test("does not turn on codes twice", async (t) => {
  const { begin, confirm, code, codes } = await begun(t);
  await confirm(code());
  const first = await codes();
  for (const again of [confirm(code()), begin()])
    assert.deepEqual(await again, { kind: "already-on" });
  assert.deepEqual(await codes(), first);
});

const ON = "codes_on: Turned on one-time codes of owner";
const OFF = "codes_off: Turned off one-time codes of owner";

test("renews recovery codes and turns codes off, and records both", async (t) => {
  const { ports, codes, user, recoveryCodes } = await withCodes(t);
  const changed = t.mock.method(ports, "onFactorsChanged");
  const renewed = await renewRecoveryCodes(ports, user, CLIENT);
  assert.equal(new Set([...(renewed ?? []), ...recoveryCodes]).size, 20);
  assert.equal(await turnOffCodes(ports, user, CLIENT), "off");
  assert.deepEqual(changed.mock.calls[0]?.arguments, [user.id]);
  assert.equal(await codes(), undefined);
  assert.equal(await turnOffCodes(ports, user, CLIENT), "already-off");
  assert.equal(await renewRecoveryCodes(ports, user, CLIENT), undefined);
  const entries = await ports.writtenEntries();
  assert.deepEqual(entries, [ON, "recovery_codes_new: Replaced the recovery codes of owner", OFF]);
});
