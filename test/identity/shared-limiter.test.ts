import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptPart } from "../../src/db/store.ts";
import { attemptRule, createAttemptLimiter } from "../../src/identity/attempt-limiter.ts";
import { createLimiter } from "../../src/identity/shared-limiter.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";

const ADDRESS = "192.0.2.1";

/** The limiter of one process over a counter that all share. */
function limiterOver(counter: AttemptPart, kind?: "link") {
  const clock = fakeClock();
  const own = createAttemptLimiter(clock);
  const log = recordingLog();
  return {
    limiter: createLimiter(own, { shared: counter, ipv6Prefix: 128, kind }, log),
    own,
    clock,
    log,
  };
}

const failing: AttemptPart = {
  record: () => Promise.reject(new Error("unreachable")),
  forget: () => Promise.reject(new Error("unreachable")),
};

for (const [answer, kind, counted] of [
  ["allowed", undefined, ADDRESS],
  ["denied", "link", `link ${ADDRESS}`],
] as const) {
  test(`returns the answer of the shared counter: ${answer}`, async (t) => {
    const record = t.mock.fn(failing.record, async () => answer);
    const { limiter, own, log } = limiterOver({ ...failing, record }, kind);
    assert.equal(await limiter.attempt(ADDRESS), answer);
    assert.deepEqual(record.mock.calls[0]?.arguments, [counted, attemptRule]);
    assert.equal(own.tracked, 0, "nothing is counted twice");
    assert.deepEqual(log.lines, []);
  });
}

test("counts five attempts by itself while the shared counter fails, and warns", async () => {
  const { limiter, log } = limiterOver(failing);
  const answers: string[] = [];
  for (let i = 0; i < 6; i += 1) answers.push(await limiter.attempt(ADDRESS));
  assert.deepEqual(answers, [...Array(5).fill("allowed"), "denied"]);
  assert.equal(log.lines.length, 6);
  assert.deepEqual(log.lines[0], {
    level: "warn",
    message: "the shared rate limiter failed: this instance counts by itself",
    fields: { reason: "unreachable" },
  });
});

test("cleans up the shared counter and its own, and warns if the shared one fails", async (t) => {
  const forget = t.mock.fn(failing.forget);
  const { limiter, own, clock, log } = limiterOver({ ...failing, forget });
  await limiter.attempt(ADDRESS);
  clock.advance(attemptRule.windowMs);
  assert.equal(own.tracked, 1);
  await limiter.cleanUp();
  assert.equal(own.tracked, 0);
  assert.deepEqual(forget.mock.calls[0]?.arguments, [attemptRule]);
  assert.deepEqual(log.lines.at(-1), {
    level: "warn",
    message: "cannot clean up the shared rate limiter",
    fields: { reason: "unreachable" },
  });
});

test("applies one limit per IPv6 network", async () => {
  const own = createAttemptLimiter(fakeClock());
  const limiter = createLimiter(own, { ipv6Prefix: 64 }, recordingLog());
  for (let n = 1; n <= 5; n += 1) {
    assert.equal(await limiter.attempt(`2001:db8::${n}:1`), "allowed");
  }
  assert.equal(await limiter.attempt("2001:db8::6:1"), "denied");
  assert.equal(await limiter.attempt("2001:db8:0:1::1"), "allowed");
  assert.equal(own.tracked, 2, "so no network can fill the limiter");
});
