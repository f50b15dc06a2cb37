import assert from "node:assert/strict";
import { test } from "node:test";
import { removeCodes, turnOffCodes } from "../../../src/core/codes/turn-off-codes.ts";
import type { Event } from "../../../src/core/log/events.ts";
import type { UserId } from "../../../src/core/records.ts";
import { CLIENT, withCodes } from "./codes-ports.ts";

const ON = "codes_on: Turned on one-time codes of owner";
const OFF = "codes_off: Turned off one-time codes of owner";

test("turns codes off, and records it", async (t) => {
  const { ports, codes, user } = await withCodes(t);
  assert.equal(await turnOffCodes(ports, user, CLIENT), "off");
  assert.equal(await codes(), undefined);
  assert.equal(await turnOffCodes(ports, user, CLIENT), "already-off");
  assert.deepEqual(await ports.writtenEntries(), [ON, OFF]);
});

test("an operator turns codes off", async (t) => {
  const { ports, codes, user } = await withCodes(t);
  const recorded: Event[] = [];
  const record = async (event: Event) => void recorded.push(event);
  const operator = { store: ports.store, record };
  assert.equal(await removeCodes(operator, "nobody" as UserId), "no-user");
  assert.deepEqual(recorded, []);
  assert.equal(await removeCodes(operator, user.id), "off");
  assert.equal(await codes(), undefined);
  assert.equal(await removeCodes(operator, user.id), "already-off");
  const recordedBy = recorded.map(({ type, author }) => [type, author]);
  assert.deepEqual(recordedBy, [["codes_off", "cli"]]);
});
