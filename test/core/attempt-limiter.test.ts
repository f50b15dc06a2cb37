import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttemptLimiter, createAttemptLimiter } from "../../src/core/attempt-limiter.ts";
import { fakeClock } from "../support/fake-clock.ts";

const ADDRESS = "192.0.2.1";

/** Five attempts at 0, 1, 2, 3 and 4 seconds, and the clock at the given moment after that. */
function afterFiveAttempts(moment: number): AttemptLimiter {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  for (let second = 0; second < 5; second += 1) {
    assert.equal(limiter.attempt(ADDRESS), "allowed", `attempt at ${second} s`);
    if (second < 4) clock.advance(1_000);
  }
  clock.advance(moment - 4_000);
  return limiter;
}

for (const [moment, answer] of [
  [4_000, "denied"],
  [59_900, "denied"],
  [60_100, "allowed"],
] as const) {
  test(`after attempts at 0 to 4 s, one at ${moment / 1_000} s is ${answer}`, () => {
    assert.equal(afterFiveAttempts(moment).attempt(ADDRESS), answer);
  });
}

test("slides the window: at 60.1 s one attempt is free, not five", () => {
  const limiter = afterFiveAttempts(60_100);
  assert.deepEqual([limiter.attempt(ADDRESS), limiter.attempt(ADDRESS)], ["allowed", "denied"]);
});

test("does not count a denied attempt", () => {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  for (let i = 0; i < 5; i += 1) limiter.attempt(ADDRESS);
  for (let second = 0; second < 59; second += 1) {
    clock.advance(1_000);
    assert.equal(limiter.attempt(ADDRESS), "denied");
  }
  clock.advance(1_100);
  const answers = Array.from({ length: 6 }, () => limiter.attempt(ADDRESS));
  assert.deepEqual(answers, [...Array(5).fill("allowed"), "denied"]);
});

test("counts each address separately", () => {
  const limiter = afterFiveAttempts(4_000);
  assert.equal(limiter.attempt("192.0.2.2"), "allowed");
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

test("drops only attempts older than the window on clean-up", () => {
  const clock = fakeClock();
  const limiter = createAttemptLimiter(clock);
  limiter.attempt("gone");
  for (let i = 0; i < 3; i += 1) limiter.attempt("half gone");
  clock.advance(30_000);
  for (let i = 0; i < 2; i += 1) limiter.attempt("half gone");
  limiter.attempt("there");
  clock.advance(30_100);
  limiter.cleanUp();
  assert.equal(limiter.tracked, 2);
  const answers = Array.from({ length: 4 }, () => limiter.attempt("half gone"));
  assert.deepEqual(answers, ["allowed", "allowed", "allowed", "denied"]);
});

test("frees no address on a clean-up within the window", () => {
  const limiter = afterFiveAttempts(59_900);
  limiter.cleanUp();
  assert.equal(limiter.attempt(ADDRESS), "denied");
});
