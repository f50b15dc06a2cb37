import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  getDueTime,
  getReissuePause,
  getRenewalTime,
  getRetryPause,
  type Lifetime,
  type Progress,
} from "../../../src/gate/https/renewal.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const time = fc.integer({ min: 0, max: 4e12 });
const lifetimes: fc.Arbitrary<Lifetime> = fc
  .tuple(time, fc.integer({ min: 1, max: 4_000 * DAY }))
  .map(([from, life]) => ({ notBefore: new Date(from), notAfter: new Date(from + life) }));
const attempts: fc.Arbitrary<Progress> = fc
  .record({ failures: fc.nat(100), lastAt: time, requestedAt: time, pause: fc.nat(DAY) })
  .map(({ pause, ...begun }) => ({ ...begun, nextAt: begun.lastAt + pause }));

test("renews a certificate within its lifetime and after its pause", () => {
  fc.assert(
    fc.property(lifetimes, (lifetime) => {
      const at = getRenewalTime(lifetime);
      assert.ok(at >= lifetime.notBefore.getTime());
      assert.ok(at < lifetime.notAfter.getTime());
      const pause = getReissuePause(lifetime);
      assert.ok(pause > 0 && pause <= 2 * DAY && pause <= at - lifetime.notBefore.getTime() + 1);
    }),
  );
});

test("renews 30 days before the end of 90, and 2 days before that of 6", () => {
  for (const [days, left] of [
    [90, 30],
    [6, 2],
  ] as const) {
    const life = { notBefore: new Date(0), notAfter: new Date(days * DAY) };
    assert.equal(getRenewalTime(life), (days - left) * DAY);
  }
});

test("pauses start at a minute, grow fourfold after each failure, and end at 12 hours", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => getRetryPause(failures));
  const hours = [4 * 64 * MINUTE, 12 * HOUR, 12 * HOUR, 12 * HOUR];
  assert.deepEqual(pauses, [MINUTE, 4 * MINUTE, 16 * MINUTE, 64 * MINUTE, ...hours]);
});

test("a pause is at least as long as the previous one, and as the authority asks for", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.nat(2 * DAY), (failures, asked) => {
      const pause = getRetryPause(failures, asked);
      assert.ok(Number.isFinite(pause) && pause >= MINUTE && pause >= asked);
      assert.ok(getRetryPause(failures + 1, asked) >= pause);
      assert.ok(pause <= Math.max(12 * HOUR, asked));
    }),
  );
});

test("attempts at once without a certificate, or after the pause", () => {
  fc.assert(
    fc.property(attempts, time, (made, other) => {
      const { requestedAt = 0 } = made;
      assert.equal(getDueTime(undefined, undefined, other), 0);
      assert.equal(getDueTime(undefined, { ...made, failures: 0 }, requestedAt), 0);
      const failed = { ...made, failures: made.failures + 1 };
      assert.equal(getDueTime(undefined, failed, requestedAt), made.nextAt);
      if (other !== requestedAt) assert.equal(getDueTime(undefined, failed, other), 0);
    }),
  );
});

test("requests and attempts never make the renewal earlier", () => {
  fc.assert(
    fc.property(lifetimes, attempts, fc.boolean(), (life, made, isAnswered) => {
      const at = getDueTime(life, made, isAnswered ? Number(made.requestedAt) : 0);
      assert.ok(at >= getRenewalTime(life));
      assert.ok(at <= Math.max(getRenewalTime(life), made.nextAt));
    }),
  );
});
