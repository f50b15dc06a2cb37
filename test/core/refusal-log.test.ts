import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefusalLog } from "../../src/core/refusal-log.ts";
import { recordingLog } from "../support/recording-log.ts";

function refusals() {
  const log = recordingLog();
  const { note, sumUp } = createRefusalLog(log);
  let read = 0;
  return {
    note(address: string, times = 1): void {
      for (let n = 0; n < times; n += 1) note("sign-in rejected", address);
    },
    sumUp,
    /** The lines since the last call: an address, or an address and how many more. */
    written(): readonly string[] {
      const lines = log.lines.slice(read);
      read = log.lines.length;
      return lines.map(({ level, message, fields: { address, more } }) =>
        [level, message, address, more].filter((part) => part !== undefined).join(" "),
      );
    },
  };
}

const LINE = "warn sign-in rejected";
const SUM = "warn more requests refused within a minute";

test("writes the first ten refusals of an address in full, and the others as one sum", () => {
  const { note, sumUp, written } = refusals();
  note("192.0.2.1", 10);
  note("192.0.2.2");
  assert.deepEqual(written(), [
    ...Array.from({ length: 10 }, () => `${LINE} 192.0.2.1`),
    `${LINE} 192.0.2.2`,
  ]);
  note("192.0.2.1", 1_000);
  note("192.0.2.2");
  assert.deepEqual(written(), [`${LINE} 192.0.2.2`]);
  sumUp();
  assert.deepEqual(written(), [`${SUM} 192.0.2.1 1000`]);
});

test("begins again after a sum, and writes no sum of nothing", () => {
  const { note, sumUp, written } = refusals();
  note("192.0.2.1", 11);
  sumUp();
  written();
  sumUp();
  assert.deepEqual(written(), []);
  note("192.0.2.1");
  sumUp();
  assert.deepEqual(written(), [`${LINE} 192.0.2.1`]);
});

test("counts an IPv6 /64 as one address, and writes each address of it", () => {
  const { note, sumUp, written } = refusals();
  for (let n = 1; n <= 12; n += 1) note(`2001:db8::${n}`);
  note("2001:db8:0:1::1");
  const lines = written();
  assert.equal(lines.length, 11);
  assert.deepEqual([lines[0], lines[10]], [`${LINE} 2001:db8::1`, `${LINE} 2001:db8:0:1::1`]);
  sumUp();
  assert.deepEqual(written(), [`${SUM} 2001:db8::/64 2`]);
});

test("writes at most 551 lines a minute, whatever the number of addresses", () => {
  const { note, sumUp, written } = refusals();
  for (let n = 0; n < 1_000; n += 1) note(`10.0.${n >> 8}.${n & 255}`, 20);
  sumUp();
  const lines = written();
  assert.equal(lines.length, 551);
  assert.equal(lines.at(-1), `${SUM} others 19000`);
});
