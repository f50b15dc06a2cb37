import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttemptLimiter, createAttemptLimiter } from "../../src/core/attempt-limiter.ts";
import { fakeClock } from "../support/fake-clock.ts";

test("slides the window: a minute after the first of five attempts, one is free, not five", () => {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  const attempt = (): string => limiter.attempt("192.0.2.1");
  for (let second = 0; second < 5; second += 1) {
    assert.equal(attempt(), "allowed", `attempt at ${second} s`);
    clock.advance(1_000);
  }
  clock.advance(54_999);
  assert.equal(attempt(), "denied");
  clock.advance(1);
  assert.deepEqual([attempt(), attempt()], ["allowed", "denied"]);
});

/** Addresses `first` to `last`, one attempt each. */
function flood(limiter: AttemptLimiter, first: number, last: number): Set<string> {
  const answers = new Set<string>();
  for (let i = first; i <= last; i += 1) answers.add(limiter.attempt(`address ${i}`));
  return answers;
}

test("admits the 10,001st address and then denies every attempt", () => {
  const limiter = createAttemptLimiter(fakeClock());
  assert.deepEqual([...flood(limiter, 1, 10_001)], ["allowed"]);
  assert.equal(limiter.tracked, 10_001);
  assert.equal(limiter.attempt("address 10002"), "denied", "a new address");
  assert.equal(limiter.attempt("address 1"), "denied", "a tracked one that has room");
  assert.equal(limiter.tracked, 10_001);
});

test("still admits tracked addresses at 10,000 addresses", () => {
  const limiter = createAttemptLimiter(fakeClock());
  flood(limiter, 1, 10_000);
  assert.equal(limiter.attempt("address 1"), "allowed");
});

test("counts expired addresses as tracked until the clean-up", () => {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  flood(limiter, 1, 10_001);
  clock.advance(120_000);
  assert.equal(limiter.attempt("address 1"), "denied");
  limiter.cleanUp();
  assert.equal(limiter.tracked, 0);
  assert.equal(limiter.attempt("address 1"), "allowed");
});
