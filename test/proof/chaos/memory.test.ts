import assert from "node:assert/strict";
import { test } from "node:test";
import {
  growthPerMinute,
  judgeGrowth,
  judgePeak,
  type MemorySample,
  riseOf,
} from "../../../proof/chaos/judge/memory.ts";

const MEGABYTE = 2 ** 20;
const REQUESTS_PER_MINUTE = 12_000;
/** The minimum memory of one session. */
const SESSION_BYTES = 500;
const MAX_BYTES = 250;

/** A sample every five seconds for ten minutes, alternating by a megabyte. */
const samples = (bytesPerMinute: number): readonly MemorySample[] =>
  Array.from({ length: 120 }, (_, n) => ({
    at: n * 5_000,
    bytes: 30 * MEGABYTE + (n / 12) * bytesPerMinute + (n % 2) * MEGABYTE,
  }));

test("computes the growth as the slope of noisy samples", () => {
  const growth = growthPerMinute(samples(5 * MEGABYTE));
  assert.ok(Math.abs(growth / MEGABYTE - 5) < 0.1, `${growth}`);
});

test("reports no growth for memory that goes up and down", () => {
  assert.deepEqual(judgeGrowth(samples(0), REQUESTS_PER_MINUTE, MAX_BYTES), []);
});

test("reports no growth for memory that shrinks", () => {
  assert.deepEqual(judgeGrowth(samples(-MEGABYTE), REQUESTS_PER_MINUTE, MAX_BYTES), []);
});

test("reports a leak of one session's memory per request", () => {
  const leaking = samples(SESSION_BYTES * REQUESTS_PER_MINUTE);
  assert.match(
    judgeGrowth(leaking, REQUESTS_PER_MINUTE, MAX_BYTES).join(),
    /grows by 5\d\d bytes with every request/,
  );
});

for (const [what, few, requests] of [
  ["samples", samples(0).slice(0, 1), REQUESTS_PER_MINUTE],
  ["requests", samples(0), Number.NaN],
] as const) {
  test(`reports too few ${what} as a problem`, () => {
    assert.equal(judgeGrowth(few, requests, MAX_BYTES).length, 1);
  });
}

test("accepts a process that reaches its full size in the first quarter", () => {
  const flat = [100, 150, 149, 150, 148, 150, 151, 150].map((size) => size * MEGABYTE);
  assert.equal(riseOf(flat), MEGABYTE);
  assert.deepEqual(judgePeak("memory", flat, 50 * MEGABYTE), []);
});

test("reports a process that keeps growing", () => {
  const growing = [100, 110, 130, 140, 150, 160, 170, 180].map((size) => size * MEGABYTE);
  assert.deepEqual(judgePeak("memory", growing, 50 * MEGABYTE), ["memory rose by 70.0 MB"]);
});

test("reports a single sample as a problem", () => {
  assert.equal(judgePeak("memory", [MEGABYTE], 50 * MEGABYTE).length, 1);
});
