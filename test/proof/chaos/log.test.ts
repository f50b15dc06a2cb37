import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeLog, type LoggedAction, type WrittenEntry } from "../../../proof/chaos/judge/log.ts";

const SIGN_IN = { type: "signin", summary: "Signed in as owner" };

const action = (from: number, to: number, more: Partial<LoggedAction> = {}): LoggedAction => ({
  ...SIGN_IN,
  life: 1,
  from,
  to,
  done: "acknowledged",
  ...more,
});

const entry = (id: number, at: number, more: Partial<WrittenEntry> = {}): WrittenEntry => ({
  ...SIGN_IN,
  id,
  at,
  author: "system",
  ...more,
});

const actions = [action(100, 150), action(200, 250), action(300, 350)];

test("accepts a log with every action once and in order", () => {
  const entries = [entry(1, 140), entry(2, 240), entry(3, 340)];
  assert.deepEqual(judgeLog(entries, actions), { problems: [], lost: 0, maxLost: 0 });
});

test("counts entries missing at the end of a process without reporting a problem", () => {
  const lives = [
    action(100, 150),
    action(200, 250),
    action(300, 350),
    action(400, 450, { life: 2 }),
  ];
  const judgement = judgeLog([entry(1, 140), entry(2, 440)], lives);
  assert.deepEqual(judgement, { problems: [], lost: 2, maxLost: 2 });
});

test("accepts an action of unknown outcome with or without an entry", () => {
  const unknown = [action(100, 150, { done: "unknown" })];
  assert.deepEqual(judgeLog([], unknown), { problems: [], lost: 0, maxLost: 0 });
  assert.deepEqual(judgeLog([entry(1, 120)], unknown).problems, []);
});

test("accepts either entry missing for simultaneous actions", () => {
  const together = [action(100, 200), action(110, 190)];
  assert.deepEqual(judgeLog([entry(1, 150)], together).problems, []);
});

const invalid: Readonly<Record<string, { entries: readonly WrittenEntry[]; problem: RegExp }>> = {
  twice: {
    entries: [entry(1, 140), entry(2, 140), entry(3, 240), entry(4, 340)],
    problem: /has no action, or repeats one/,
  },
  "of another user's sign-in": {
    entries: [entry(1, 140), entry(2, 145, { summary: "Signed in as mallory" })],
    problem: /"Signed in as mallory".*has no action/,
  },
  "at a time without an action": {
    entries: [entry(1, 140), entry(2, 180)],
    problem: /has no action/,
  },
  "out of order": {
    entries: [entry(1, 240), entry(2, 140), entry(3, 340)],
    problem: /comes after/,
  },
  "missing in the middle": {
    entries: [entry(1, 140), entry(2, 340)],
    problem: /no entry "Signed in as owner", but a later one exists/,
  },
  "by another author": {
    entries: [entry(1, 140, { author: "cli" }), entry(2, 240), entry(3, 340)],
    problem: /has the author cli/,
  },
};

for (const [what, { entries, problem }] of Object.entries(invalid)) {
  test(`reports a log with an entry ${what}`, () => {
    const { problems } = judgeLog(entries, actions);
    assert.equal(problems.length, 1, problems.join());
    assert.match(problems.join(), problem);
  });
}
