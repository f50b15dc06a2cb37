import assert from "node:assert/strict";
import { test } from "node:test";
import { createBoundedLog } from "../../src/lib/bounded-log.ts";
import { recordingLog } from "../support/recording-log.ts";

function bounded() {
  const raw = recordingLog();
  const log = createBoundedLog(raw);
  let read = 0;
  return {
    log,
    refuse(address: string, times = 1): void {
      for (let n = 0; n < times; n += 1) log.warn({ address }, "sign-in rejected");
    },
    fail(message: string, times = 1): void {
      for (let n = 0; n < times; n += 1) log.error({ n }, message);
    },
    sumUp: log.sumUp,
    /** The lines since the last call: level, message and values. */
    written(): readonly string[] {
      const lines = raw.lines.slice(read);
      read = raw.lines.length;
      return lines.map(({ level, message, fields }) =>
        [level, message, ...Object.values(fields)].join(" "),
      );
    },
  };
}

const LINE = "warn sign-in rejected";
const SUM = "warn more requests refused within a minute";

test("writes the first ten lines about an address in full, and the others as one sum", () => {
  const { refuse, sumUp, written } = bounded();
  refuse("192.0.2.1", 10);
  refuse("192.0.2.2");
  assert.deepEqual(written(), [
    ...Array.from({ length: 10 }, () => `${LINE} 192.0.2.1`),
    `${LINE} 192.0.2.2`,
  ]);
  refuse("192.0.2.1", 1_000);
  refuse("192.0.2.2");
  assert.deepEqual(written(), [`${LINE} 192.0.2.2`]);
  sumUp();
  assert.deepEqual(written(), [`${SUM} 192.0.2.1 1000`]);
});

test("begins again after a sum, and writes no sum of nothing", () => {
  const { refuse, sumUp, written } = bounded();
  refuse("192.0.2.1", 11);
  sumUp();
  written();
  sumUp();
  assert.deepEqual(written(), []);
  refuse("192.0.2.1", 10);
  sumUp();
  assert.deepEqual(written(), Array(10).fill(`${LINE} 192.0.2.1`));
});

test("counts an IPv6 /64 as one address, and writes each address of it", () => {
  const { refuse, sumUp, written } = bounded();
  for (let n = 1; n <= 12; n += 1) refuse(`2001:db8::${n}`);
  refuse("2001:db8:0:1::1");
  const lines = written();
  assert.equal(lines.length, 11);
  assert.deepEqual([lines[0], lines[10]], [`${LINE} 2001:db8::1`, `${LINE} 2001:db8:0:1::1`]);
  sumUp();
  assert.deepEqual(written(), [`${SUM} 2001:db8::/64 2`]);
});

test("counts lines without an address by message, and sums them up at their level", () => {
  const { refuse, fail, sumUp, written } = bounded();
  refuse("192.0.2.1", 20);
  fail("request failed", 13);
  fail("not ready");
  const lines = written();
  assert.equal(lines.filter((line) => line.startsWith("error request failed")).length, 10);
  assert.ok(lines.includes("error not ready 0"), "another message has lines of its own");
  sumUp();
  assert.deepEqual(written(), [
    `${SUM} 192.0.2.1 10`,
    "error more lines of one kind within a minute request failed 3",
  ]);
});

test("writes at most 1,102 lines a minute, whatever the number of addresses and messages", () => {
  const { refuse, fail, sumUp, written } = bounded();
  for (let n = 0; n < 1_000; n += 1) {
    refuse(`10.0.${n >> 8}.${n & 255}`, 20);
    fail(`message ${n}`, 20);
  }
  sumUp();
  const lines = written();
  assert.equal(lines.length, 1_102);
  assert.ok(lines.includes(`${SUM} others 19000`));
  assert.equal(lines.at(-1), "warn more lines of one kind within a minute others 19000");
});
