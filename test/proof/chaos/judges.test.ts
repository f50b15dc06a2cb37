import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeFlood, OVERLOADED, SIGNED_IN } from "../../../proof/chaos/flood/flood.ts";
import { judgeLog, type LoggedAction, type WrittenEntry } from "../../../proof/chaos/judge/log.ts";
import { judgeGrowth, judgePeak, type MemorySample } from "../../../proof/chaos/judge/memory.ts";
import { judgePasswords } from "../../../proof/chaos/judge/passwords.ts";
import {
  judgeResets,
  judgeResponses,
  judgeShutdown,
  type Sent,
} from "../../../proof/chaos/judge/requests.ts";

const SIGN_IN = { type: "signin", summary: "Signed in as owner" };

const action = (from: number, more: Partial<LoggedAction> = {}): LoggedAction => ({
  ...SIGN_IN,
  ...{ life: 1, from, to: from + 50, done: "acknowledged" },
  ...more,
});
const entry = (id: number, at: number, more: Partial<WrittenEntry> = {}): WrittenEntry => ({
  ...SIGN_IN,
  ...{ id, at, author: "system" },
  ...more,
});
const actions = [action(100), action(200), action(300)];
const logged = (...entries: readonly WrittenEntry[]) => judgeLog(entries, actions).problems;

const MEGABYTE = 2 ** 20;
const REQUESTS_PER_MINUTE = 12_000;
/** A sample every five seconds for ten minutes, alternating by a megabyte. */
const memory = (bytesPerMinute: number): readonly MemorySample[] =>
  Array.from({ length: 120 }, (_, n) => ({
    at: n * 5_000,
    bytes: 30 * MEGABYTE + (n / 12) * bytesPerMinute + (n % 2) * MEGABYTE,
  }));
const growth = (samples: readonly MemorySample[], requests = REQUESTS_PER_MINUTE) =>
  judgeGrowth(samples, requests, 250);
const peak = (...sizes: readonly number[]) =>
  judgePeak(
    "memory",
    sizes.map((size) => size * MEGABYTE),
    50 * MEGABYTE,
  );

const passwords = (inFlight: string | undefined, ...working: readonly string[]) =>
  judgePasswords({ acknowledged: "second", inFlight }, new Set(working));

const SIGNAL_AT = 1_000;
const sent = (more: Partial<Sent> = {}): Sent => ({
  ...{
    kind: "guard",
    sentAt: SIGNAL_AT - 10,
    ms: 5,
    fate: "answered",
    status: 200,
    expected: "yes",
  },
  ...more,
});
const AFTER = { sentAt: SIGNAL_AT + 10 };
const shutdown = (...all: readonly Sent[]) => judgeShutdown([sent(), ...all], SIGNAL_AT);

const flood = (counts: Readonly<Record<string, number>>) =>
  judgeFlood({
    counts: Object.entries(counts).map(([what, times]) => ({ what, times, slowestMs: 1 })),
    held: 0,
  });

test("the judges of the chaos tests accept what the gate promises", () => {
  const accepted = [
    logged(entry(1, 140), entry(2, 240), entry(3, 340)),
    judgeLog([], [action(100, { done: "unknown" })]).problems,
    judgeLog([entry(1, 150)], [action(100, { to: 200 }), action(110, { to: 190 })]).problems,
    growth(memory(0)),
    peak(100, 150, 149, 150, 148, 150, 151, 150),
    passwords(undefined, "second"),
    passwords("third", "second"),
    passwords("third", "third"),
    shutdown(sent(AFTER), sent({ fate: "refused" })),
    judgeResets([sent(), sent(AFTER)], SIGNAL_AT),
    judgeResponses([...Array.from({ length: 199 }, () => sent()), sent({ ms: 900 })], 100),
    flood({ [SIGNED_IN]: 9, [OVERLOADED]: 90 }),
  ];
  assert.deepEqual(accepted.flat(), []);
  const lives = [...actions, action(400, { life: 2 })];
  const lost = judgeLog([entry(1, 140), entry(2, 440)], lives);
  assert.deepEqual(lost, { problems: [], lost: 2, maxLost: 2 }, "at the end of a process");
});

const reported: readonly (readonly [problems: readonly string[], problem: RegExp])[] = [
  [logged(entry(1, 140), entry(2, 140), entry(3, 240), entry(4, 340)), /or repeats one/],
  [logged(entry(1, 140), entry(2, 145, { summary: "Signed in as mallory" })), /has no action/],
  [logged(entry(1, 240), entry(2, 140), entry(3, 340)), /comes after/],
  [logged(entry(1, 140), entry(2, 340)), /no entry .*, but a later one exists/],
  [logged(entry(1, 140, { author: "cli" }), entry(2, 240), entry(3, 340)), /has the author cli/],
  [growth(memory(500 * REQUESTS_PER_MINUTE)), /grows by 5\d\d bytes with every request/],
  [growth(memory(0).slice(0, 1)), /./],
  [peak(100, 110, 130, 140, 150, 160, 170, 180), /^memory rose by 70\.0 MB$/],
  [peak(1), /./],
  [passwords(undefined), /"second" was acknowledged and does not work/],
  [passwords(undefined, "second", "first"), /"first" works although it was replaced/],
  [passwords("third", "second", "third"), /both "second" and "third"/],
  [shutdown(sent({ fate: "reset", status: 0 })), /10 ms before.*no response/],
  [shutdown(sent({ ...AFTER, fate: "cut", status: 0 })), /after.*cut off/],
  [shutdown(sent({ status: 500, expected: "no" })), /status 500/],
  [judgeResets([sent({ ...AFTER, fate: "reset", status: 0 })], SIGNAL_AT), /connection reset/],
  [judgeResponses([sent(), sent({ ms: 900 })], 100), /p99 is 900 ms/],
  [judgeResponses([], 100), /no requests were sent/],
  [flood({ [OVERLOADED]: 90 }), /no sign-in succeeded/],
  [flood({ [SIGNED_IN]: 90 }), /it was not a flood/],
  [flood({ [SIGNED_IN]: 9, [OVERLOADED]: 9, "503": 2 }), /2 times 503/],
];

test("the judges of the chaos tests report each broken promise once", () => {
  for (const [problems, problem] of reported) {
    assert.equal(problems.length, 1, `${problem}: ${problems}`);
    assert.match(problems.join(), problem);
  }
});
