import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeFlood, OVERLOADED, SIGNED_IN } from "../../../proof/chaos/flood/flood.ts";
import {
  judgeResets,
  judgeResponses,
  judgeShutdown,
  type Sent,
} from "../../../proof/chaos/judge/requests.ts";

const SIGNAL_AT = 1_000;

const sent = (more: Partial<Sent> = {}): Sent => ({
  kind: "guard",
  sentAt: SIGNAL_AT - 10,
  ms: 5,
  fate: "answered",
  status: 200,
  expected: "yes",
  ...more,
});

const AFTER = { sentAt: SIGNAL_AT + 10 };

test("accepts a shutdown that answers everything sent before", () => {
  const all = [sent(), sent(AFTER), sent({ fate: "refused" }), sent({ ...AFTER, fate: "refused" })];
  assert.deepEqual(judgeShutdown(all, SIGNAL_AT), []);
  assert.deepEqual(judgeResets(all, SIGNAL_AT), []);
});

for (const [what, one, problem] of [
  ["sent before and reset", { fate: "reset", status: 0 }, /10 ms before.*no response/],
  ["sent before and cut off", { fate: "cut", status: 0 }, /before.*cut off/],
  ["sent afterwards and cut off", { ...AFTER, fate: "cut", status: 0 }, /after.*cut off/],
  ["answered with an error", { status: 500, expected: "no" }, /status 500/],
] as const) {
  test(`reports a shutdown with a request ${what}`, () => {
    const problems = judgeShutdown([sent(), sent(one), sent(AFTER)], SIGNAL_AT);
    assert.equal(problems.length, 1);
    assert.match(problems.join(), problem);
  });
}

test("reports an open connection that is reset under a later request", () => {
  const reset = sent({ ...AFTER, fate: "reset", status: 0 });
  assert.deepEqual(judgeShutdown([reset], SIGNAL_AT), []);
  assert.deepEqual(judgeResets([sent(), reset], SIGNAL_AT), [
    "guard, sent 10 ms after the signal: connection reset",
  ]);
});

test("accepts responses of which one in a hundred is late", () => {
  const all = [...Array.from({ length: 199 }, () => sent()), sent({ ms: 900 })];
  assert.deepEqual(judgeResponses(all, 100), []);
});

for (const [what, all, problem] of [
  ["too many are late", [sent(), sent({ ms: 900 })], /p99 is 900 ms/],
  ["one is wrong", [sent(), sent({ status: 303, expected: "no" })], /answered 303/],
  ["one is missing", [sent(), sent({ fate: "refused", status: 0, expected: "no" })], /refused/],
  ["there are none", [], /no requests were sent/],
] as const) {
  test(`reports responses of which ${what}`, () => {
    assert.match(judgeResponses(all, 100).join(), problem);
  });
}

const count = (what: string, times: number) => ({ what, times, slowestMs: 1 });

test("accepts a flood in which some sign-ins succeed and the others are rejected", () => {
  assert.deepEqual(
    judgeFlood({ counts: [count(SIGNED_IN, 9), count(OVERLOADED, 90)], held: 0 }),
    [],
  );
});

for (const [what, counts, problem] of [
  ["no sign-in succeeds", [count(OVERLOADED, 90)], /no sign-in succeeded/],
  ["no request is rejected", [count(SIGNED_IN, 90)], /it was not a flood/],
  [
    "the limiter rejects some",
    [count(SIGNED_IN, 9), count(OVERLOADED, 90), count("303 /login?error=1", 7)],
    /7 times 303 \/login\?error=1/,
  ],
  [
    "a 503 lacks Retry-After",
    [count(SIGNED_IN, 9), count(OVERLOADED, 9), count("503", 2)],
    /2 times 503/,
  ],
  [
    "some get no response",
    [count(SIGNED_IN, 9), count(OVERLOADED, 90), count("reset", 1)],
    /1 times reset/,
  ],
] as const) {
  test(`reports a flood in which ${what}`, () => {
    const problems = judgeFlood({ counts, held: 0 });
    assert.equal(problems.length, 1);
    assert.match(problems.join(), problem);
  });
}
