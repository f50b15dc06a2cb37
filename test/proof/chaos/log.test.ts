import assert from "node:assert/strict";
import { test } from "node:test";
import { type Deed, judgeLog, type WrittenEntry } from "../../../proof/chaos/judge/log.ts";

const SIGN_IN = { type: "signin", summary: "Signed in as owner" };

const deed = (from: number, to: number, more: Partial<Deed> = {}): Deed => ({
  ...SIGN_IN,
  life: 1,
  from,
  to,
  done: "surely",
  ...more,
});

const entry = (id: number, at: number, more: Partial<WrittenEntry> = {}): WrittenEntry => ({
  ...SIGN_IN,
  id,
  at,
  author: "system",
  ...more,
});

const deeds = [deed(100, 150), deed(200, 250), deed(300, 350)];

test("a log that tells of every deed once and in order is sound", () => {
  const entries = [entry(1, 140), entry(2, 240), entry(3, 340)];
  assert.deepEqual(judgeLog(entries, deeds), { problems: [], lost: 0, mostLost: 0 });
});

test("entries of one life that are missing at its end are counted, and no problem", () => {
  const lives = [deed(100, 150), deed(200, 250), deed(300, 350), deed(400, 450, { life: 2 })];
  const judgement = judgeLog([entry(1, 140), entry(2, 440)], lives);
  assert.deepEqual(judgement, { problems: [], lost: 2, mostLost: 2 });
});

test("what was perhaps done may have an entry, or none", () => {
  const perhaps = [deed(100, 150, { done: "perhaps" })];
  assert.deepEqual(judgeLog([], perhaps), { problems: [], lost: 0, mostLost: 0 });
  assert.deepEqual(judgeLog([entry(1, 120)], perhaps).problems, []);
});

test("what began at the same time may be lost on either side", () => {
  const together = [deed(100, 200), deed(110, 190)];
  assert.deepEqual(judgeLog([entry(1, 150)], together).problems, []);
});

const broken: Readonly<Record<string, { entries: readonly WrittenEntry[]; says: RegExp }>> = {
  "that stands there twice": {
    entries: [entry(1, 140), entry(2, 140), entry(3, 240), entry(4, 340)],
    says: /nobody did, or tells it twice/,
  },
  "of somebody else's sign-in": {
    entries: [entry(1, 140), entry(2, 145, { summary: "Signed in as mallory" })],
    says: /"Signed in as mallory".*nobody did/,
  },
  "of a time at which nobody did that": {
    entries: [entry(1, 140), entry(2, 180)],
    says: /nobody did/,
  },
  "that comes before an earlier one": {
    entries: [entry(1, 240), entry(2, 140), entry(3, 340)],
    says: /comes after/,
  },
  "that is missing in the middle": {
    entries: [entry(1, 140), entry(2, 340)],
    says: /no entry "Signed in as owner", and a later one is there/,
  },
  "by another author": {
    entries: [entry(1, 140, { author: "cli" }), entry(2, 240), entry(3, 340)],
    says: /is by cli/,
  },
};

for (const [what, { entries, says }] of Object.entries(broken)) {
  test(`a log with an entry ${what} is a problem`, () => {
    const { problems } = judgeLog(entries, deeds);
    assert.equal(problems.length, 1, problems.join());
    assert.match(problems.join(), says);
  });
}
