import assert from "node:assert/strict";
import { test } from "node:test";
import { EXCESS, judgeFlood, LET_IN } from "../../../proof/chaos/flood/flood.ts";
import {
  judgeAnswers,
  judgeResets,
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
  sound: "yes",
  ...more,
});

const AFTER = { sentAt: SIGNAL_AT + 10 };

test("an end at which everything sent before is answered is sound", () => {
  const all = [sent(), sent(AFTER), sent({ fate: "refused" }), sent({ ...AFTER, fate: "refused" })];
  assert.deepEqual(judgeShutdown(all, SIGNAL_AT), []);
  assert.deepEqual(judgeResets(all, SIGNAL_AT), []);
});

for (const [what, one, says] of [
  ["sent before and reset", { fate: "reset", status: 0 }, /10 ms before.*not answered/],
  ["sent before and cut off", { fate: "cut", status: 0 }, /before.*in the middle/],
  ["sent afterwards and cut off", { ...AFTER, fate: "cut", status: 0 }, /after.*in the middle/],
  ["answered with an error", { status: 500, sound: "no" }, /answered 500/],
] as const) {
  test(`an end with one request ${what} is a problem`, () => {
    const problems = judgeShutdown([sent(), sent(one), sent(AFTER)], SIGNAL_AT);
    assert.equal(problems.length, 1);
    assert.match(problems.join(), says);
  });
}

test("an open connection that is reset under a request sent afterwards is a problem", () => {
  const reset = sent({ ...AFTER, fate: "reset", status: 0 });
  assert.deepEqual(judgeShutdown([reset], SIGNAL_AT), []);
  assert.deepEqual(judgeResets([sent(), reset], SIGNAL_AT), [
    "guard, sent 10 ms after the signal: reset without a word",
  ]);
});

test("answers are sound where one of a hundred is late", () => {
  const all = [...Array.from({ length: 199 }, () => sent()), sent({ ms: 900 })];
  assert.deepEqual(judgeAnswers(all, 100), []);
});

for (const [what, all, says] of [
  ["too many are late", [sent(), sent({ ms: 900 })], /up to 900 ms/],
  ["one is wrong", [sent(), sent({ status: 303, sound: "no" })], /answered 303/],
  ["one is missing", [sent(), sent({ fate: "refused", status: 0, sound: "no" })], /refused/],
  ["there are none", [], /nothing was asked/],
] as const) {
  test(`answers of which ${what} are a problem`, () => {
    assert.match(judgeAnswers(all, 100).join(), says);
  });
}

const count = (what: string, times: number) => ({ what, times, slowestMs: 1 });

test("a flood of which some are let in and the others are told to come later is sound", () => {
  assert.deepEqual(judgeFlood({ counts: [count(LET_IN, 9), count(EXCESS, 90)], held: 0 }), []);
});

for (const [what, counts, says] of [
  ["nobody is let in", [count(EXCESS, 90)], /nobody was let in/],
  ["nobody is too many", [count(LET_IN, 90)], /it was no flood/],
  [
    "the limiter answers",
    [count(LET_IN, 9), count(EXCESS, 90), count("303 /login?error=1", 7)],
    /7 times 303 \/login\?error=1/,
  ],
  [
    "nobody is told when to come again",
    [count(LET_IN, 9), count(EXCESS, 9), count("503", 2)],
    /2 times 503/,
  ],
  ["some get no answer", [count(LET_IN, 9), count(EXCESS, 90), count("reset", 1)], /1 times reset/],
] as const) {
  test(`a flood in which ${what} is a problem`, () => {
    const problems = judgeFlood({ counts, held: 0 });
    assert.equal(problems.length, 1);
    assert.match(problems.join(), says);
  });
}
