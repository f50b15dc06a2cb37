import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { usesCodes } from "../../../src/core/codes/code-state.ts";
import { codeOf, stepAt } from "../../../src/core/codes/totp.ts";
import { removeCodes } from "../../../src/core/codes/turn-off-codes.ts";
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

test("begins with the current password only, and stores neither the key nor that codes are on", async (t) => {
  const { ports, id, codes } = await begun(t);
  for (const password of ["", "wrong"]) {
    const outcome = await beginCodes(ports, id, password, CLIENT);
    assert.deepEqual(outcome, { kind: "current-password-incorrect" });
  }
  const nobody = await beginCodes(ports, NOBODY, OWNER.password, CLIENT);
  assert.deepEqual(nobody, { kind: "no-user" });
  assert.equal(usesCodes(await codes()), false);
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
  const ports = await corePorts(t);
  const { id } = await ports.insertOwner();
  const users = unwatchedUsers(ports);
  assert.equal(await users.anyHas("codes"), false);
  const outcome = await beginCodes({ ...ports, users }, id, OWNER.password, CLIENT);
  assert.ok(outcome.kind === "begun");
  const { secret, sealed } = outcome.begun;
  const code = codeOf(decodeBase32(secret), stepAt(ports.clock.now()));
  await confirmCodes({ ...ports, users }, id, sealed, code);
  assert.equal(await users.anyHas("codes"), true);
});

test("lets the user try again after a wrong code", async (t) => {
  const { ports, id, begun: given, sealed, codes } = await begun(t);
  const outcome = await confirmCodes(ports, id, sealed, "wrong");
  assert.deepEqual(outcome, { kind: "code-incorrect", begun: given });
  assert.equal(usesCodes(await codes()), false);
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
  assert.equal(usesCodes(await codes()), false);
});

test("does not confirm an earlier begin, nor one again after codes were turned off", async (t) => {
  const { ports, id, sealed, code } = await begun(t);
  const never = { kind: "not-begun" };
  const [one, other] = await Promise.all(
    [1, 2].map(() => beginCodes(ports, id, OWNER.password, CLIENT)),
  );
  assert.ok(one?.kind === "begun" && other?.kind === "begun");
  const confirm = ({ secret, sealed }: typeof one.begun) =>
    confirmCodes(ports, id, sealed, codeOf(decodeBase32(secret), stepAt(ports.clock.now())));
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), never, "begun again twice");
  const kinds = [(await confirm(one.begun)).kind, (await confirm(other.begun)).kind];
  assert.ok(
    ["not-begun on", "on already-on"].includes(kinds.join(" ")),
    `the last of two begins, not ${kinds}`,
  );
  const operator = { store: ports.store, record: async () => {} };
  assert.equal(await removeCodes(operator, OWNER.username), "off");
  for (const each of [one.begun, other.begun]) assert.deepEqual(await confirm(each), never);
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), never);
});

test("an operator who turns codes off also ends what was begun", async (t) => {
  const { ports, id, sealed, code, codes } = await begun(t);
  const operator = { store: ports.store, record: async () => {} };
  assert.equal(await removeCodes(operator, OWNER.username), "already-off");
  assert.equal(await codes(), undefined);
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), { kind: "not-begun" });
});

test("does not turn on codes twice", async (t) => {
  const { ports, id, sealed, code, codes } = await begun(t);
  await confirmCodes(ports, id, sealed, code());
  const first = await codes();
  assert.deepEqual(await confirmCodes(ports, id, sealed, code()), { kind: "already-on" });
  assert.deepEqual(await beginCodes(ports, id, OWNER.password, CLIENT), { kind: "already-on" });
  assert.equal(await codes(), first);
});
