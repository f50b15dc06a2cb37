import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecentSignIn } from "../../../src/core/sessions/recent-sign-in.ts";

const SIGNED_IN = 1_900_000_000;

/** Whether a sign-in counts that many seconds after it. */
const after = (seconds: number, issuedAt = SIGNED_IN): boolean =>
  isRecentSignIn({ issuedAt }, { now: () => (SIGNED_IN + seconds) * 1_000 });

test("a sign-in is recent for ten minutes", () => {
  const recent = [after(0), after(599.999), after(600), after(86_400)];
  assert.deepEqual(recent, [true, true, false, false]);
});

test("a sign-in from ahead is recent only within the tolerated difference of clocks", () => {
  assert.deepEqual([after(-119), after(-120), after(-86_400)], [true, false, false]);
});

test("a token without a time of issue is not recent, not even where the clock starts at 1970", () => {
  assert.equal(after(0, 0), false);
  for (const now of [0, 60_000])
    assert.equal(isRecentSignIn({ issuedAt: 0 }, { now: () => now }), false);
});
