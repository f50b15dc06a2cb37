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
/** What one session takes, at the least. */
const SESSION_BYTES = 500;
const MOST_BYTES = 250;

/** A sample every five seconds for ten minutes, up and down by a megabyte. */
const samples = (bytesPerMinute: number): readonly MemorySample[] =>
  Array.from({ length: 120 }, (_, n) => ({
    at: n * 5_000,
    bytes: 30 * MEGABYTE + (n / 12) * bytesPerMinute + (n % 2) * MEGABYTE,
  }));

test("the growth is that of the line through the samples, however they jump", () => {
  const growth = growthPerMinute(samples(5 * MEGABYTE));
  assert.ok(Math.abs(growth / MEGABYTE - 5) < 0.1, `${growth}`);
});

test("memory that goes up and down does not grow", () => {
  assert.deepEqual(judgeGrowth(samples(0), REQUESTS_PER_MINUTE, MOST_BYTES), []);
});

test("memory that shrinks does not grow", () => {
  assert.deepEqual(judgeGrowth(samples(-MEGABYTE), REQUESTS_PER_MINUTE, MOST_BYTES), []);
});

test("one session's memory that is kept with every request is a problem", () => {
  const leaking = samples(SESSION_BYTES * REQUESTS_PER_MINUTE);
  assert.match(
    judgeGrowth(leaking, REQUESTS_PER_MINUTE, MOST_BYTES).join(),
    /grows by 5\d\d bytes with every request/,
  );
});

for (const [what, few, requests] of [
  ["samples", samples(0).slice(0, 1), REQUESTS_PER_MINUTE],
  ["requests", samples(0), Number.NaN],
] as const) {
  test(`too few ${what} prove nothing, and that is a problem`, () => {
    assert.equal(judgeGrowth(few, requests, MOST_BYTES).length, 1);
  });
}

test("a process that has its full size by the first quarter is flat", () => {
  const flat = [100, 150, 149, 150, 148, 150, 151, 150].map((size) => size * MEGABYTE);
  assert.equal(riseOf(flat), MEGABYTE);
  assert.deepEqual(judgePeak("memory", flat, 50 * MEGABYTE), []);
});

test("a process that goes on growing is a problem", () => {
  const growing = [100, 110, 130, 140, 150, 160, 170, 180].map((size) => size * MEGABYTE);
  assert.deepEqual(judgePeak("memory", growing, 50 * MEGABYTE), ["memory rose by 70.0 MB"]);
});

test("a process of which there is one sample is a problem", () => {
  assert.equal(judgePeak("memory", [MEGABYTE], 50 * MEGABYTE).length, 1);
});
