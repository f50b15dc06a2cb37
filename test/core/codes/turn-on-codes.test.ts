import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { codeOf, stepAt } from "../../../src/core/codes/totp.ts";
import { beginCodes, confirmCodes } from "../../../src/core/codes/turn-on-codes.ts";
import type { UserId } from "../../../src/core/store.ts";
import { corePorts } from "../../support/core-ports.ts";
import { OWNER } from "../../support/gate.ts";
import { decodeBase32 } from "../../support/one-time-codes.ts";
import { add } from "../../support/store.ts";
import { CLIENT, unwatchedUsers } from "./codes-ports.ts";

const NOBODY = "nobody" as UserId;
const MINUTE_MS = 60_000;

async function begun(t: TestContext) {
  const ports = await corePorts(t);
  const { id } = await ports.insertOwner();
  const outcome = await beginCodes(ports, id, OWNER.password, CLIENT);
  assert.ok(outcome.kind === "begun");
  const { secret, sealed } = outcome.begun;
  const code = () => codeOf(decodeBase32(secret), stepAt(ports.clock.now()));
  const codes = async () => (await ports.store.findUser(id))?.codes;
  return { ports, id, begun: outcome.begun, sealed, code, codes };
}

test("begins with the current password only, and stores nothing", async (t) => {
  const { ports, id, codes } = await begun(t);
  for (const password of ["", "wrong"]) {
    const outcome = await beginCodes(ports, id, password, CLIENT);
    assert.deepEqual(outcome, { kind: "current-password-incorrect" });
  }
  const nobody = await beginCodes(ports, NOBODY, OWNER.password, CLIENT);
  assert.deepEqual(nobody, { kind: "no-user" });
  assert.equal(await codes(), undefined);
});

test("turns codes on with a code of the new secret within 15 minutes, and records it", async (t) => {
  const { ports, id, sealed, code, codes } = await begun(t);
  ports.clock.advance(15 * MINUTE_MS);
  const outcome = await confirmCodes(ports, id, sealed, ` ${code()} `);
  assert.equal(outcome.kind === "on" && outcome.recoveryCodes.length, 10);
  assert.notEqual(await codes(), undefined);
  assert.deepEqual(await ports.writtenEntries(), ["codes_on: Turned on one-time codes of owner"]);
});

test("a process whose store reports no changes knows at once that codes are on", async (t) => {
  const { ports, id, sealed, code } = await begun(t);
  const users = unwatchedUsers(ports);
  assert.equal(await users.anyHas("codes"), false);
  await confirmCodes({ ...ports, users }, id, sealed, code());
  assert.equal(await users.anyHas("codes"), true);
});

test("lets the user try again after a wrong code", async (t) => {
  const { ports, id, begun: given, sealed, codes } = await begun(t);
  const outcome = await confirmCodes(ports, id, sealed, "wrong");
  assert.deepEqual(outcome, { kind: "code-incorrect", begun: given });
  assert.equal(await codes(), undefined);
});

test("does not confirm what was begun too long ago, never, or for another account", async (t) => {
  const { ports, id, sealed, code, codes } = await begun(t);
  const guest = await add(ports.store, "guest");
  const never = { kind: "not-begun" };
  assert.deepEqual(await confirmCodes(ports, guest.id, sealed, code()), never);
  assert.deepEqual(await confirmCodes(ports, id, "", code()), never);
  assert.deepEqual(await confirmCodes(ports, NOBODY, sealed, code()), { kind: "no-user" });
  ports.clock.advance(15 * MINUTE_MS + 1);
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), never);
  assert.equal(await codes(), undefined);
});

test("does not turn on codes twice", async (t) => {
  const { ports, id, sealed, code, codes } = await begun(t);
  await confirmCodes(ports, id, sealed, code());
  const first = await codes();
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), { kind: "already-on" });
  assert.deepEqual(await beginCodes(ports, id, OWNER.password, CLIENT), { kind: "already-on" });
  assert.equal(await codes(), first);
});
