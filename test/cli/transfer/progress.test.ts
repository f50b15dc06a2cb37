import assert from "node:assert/strict";
import { test } from "node:test";
import {
  barOf,
  lineOf,
  type ProgressDisplay,
  progressDisplay,
} from "../../../src/cli/transfer/progress.ts";
import type { CopyProgress } from "../../../src/core/transfer/copy.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const at = (entries: number, fields: Partial<CopyProgress> = {}): CopyProgress => ({
  step: "copying",
  users: { done: 2, total: 2 },
  entries: { done: entries, total: 9_998 },
  ...fields,
});

const lines: readonly (readonly [string, Parameters<typeof lineOf>[0], string])[] = [
  [
    "counts, percent, rate and the time left",
    { progress: at(2_498), elapsedMs: 2_000, doneBefore: 0 },
    " 25% copying: users 2/2, log entries 2,498/9,998, 1,250/s, 0:06 left",
  ],
  [
    "a rate without what was there before",
    { progress: at(4_998), elapsedMs: 1_000, doneBefore: 4_000 },
    " 50% copying: users 2/2, log entries 4,998/9,998, 1,000/s, 0:05 left",
  ],
  [
    "minutes and hours that are left",
    { progress: at(98), elapsedMs: 100_000, doneBefore: 0 },
    "  1% copying: users 2/2, log entries 98/9,998, 1/s, 2:45:00 left",
  ],
  [
    "no rate at the very start",
    { progress: at(998), elapsedMs: 100, doneBefore: 0 },
    " 10% copying: users 2/2, log entries 998/9,998",
  ],
  [
    "no rate where nothing moves",
    { progress: at(998), elapsedMs: 5_000, doneBefore: 1_000 },
    " 10% copying: users 2/2, log entries 998/9,998",
  ],
  [
    "one entry short of all is not 100%",
    { progress: at(9_997, { step: "comparing" }), elapsedMs: 0, doneBefore: 0 },
    " 99% comparing: users 2/2, log entries 9,997/9,998",
  ],
  [
    "all of it",
    { progress: at(9_998), elapsedMs: 10_000, doneBefore: 0 },
    "100% copying: users 2/2, log entries 9,998/9,998, 1,000/s, 0:00 left",
  ],
];
for (const [what, state, line] of lines) {
  test(`a progress line has ${what}`, () => {
    assert.equal(lineOf(state), line);
  });
}

for (const [entries, bar] of [
  [0, "[....................]"],
  [4_998, "[##########..........]"],
  [9_997, "[###################.]"],
  [9_998, "[####################]"],
] as const) {
  test(`draws the bar of ${entries} of 9,998 entries as ${bar}`, () => {
    const state = { progress: at(entries), elapsedMs: 0, doneBefore: 0 };
    assert.equal(barOf(state, 200), `${bar} ${lineOf(state)}`);
  });
}

test("cuts a bar to the width of the terminal", () => {
  const state = { progress: at(5_000), elapsedMs: 5_000, doneBefore: 0 };
  for (const columns of [0, 10, 40, 79]) assert.equal(barOf(state, columns).length, columns);
});

/** What a display writes, with a clock that the test moves. */
function displayOn(output: { readonly isTTY?: boolean; readonly columns?: number }): {
  readonly display: ProgressDisplay;
  readonly written: string[];
  readonly clock: ReturnType<typeof fakeClock>;
} {
  const written: string[] = [];
  const clock = fakeClock();
  const write = (text: string) => written.push(text);
  return { display: progressDisplay({ ...output, write }, clock.monotonic), written, clock };
}

test("draws a bar at once, at most ten times a second, and clears it at the end", () => {
  const { display, written, clock } = displayOn({ isTTY: true, columns: 60 });
  for (let ms = 0; ms < 1_000; ms += 10) {
    display.show(at(ms));
    clock.advance(10);
  }
  assert.equal(written.length, 10);
  for (const text of written) {
    assert.ok(text.startsWith("\r[") && text.endsWith("\u001b[K"), JSON.stringify(text));
    assert.equal(text.length, 59 + "\r\u001b[K".length);
  }
  display.end();
  assert.equal(written.at(-1), "\r\u001b[K");
});

test("assumes 80 columns for a terminal of unknown width", () => {
  for (const columns of [undefined, 0]) {
    const { display, written, clock } = displayOn({
      isTTY: true,
      ...(columns === 0 && { columns }),
    });
    display.show(at(0));
    clock.advance(5_000);
    display.show(at(9_000));
    assert.equal(written.at(-1)?.length, 79 + "\r\u001b[K".length);
  }
});

test("prints a plain line every three seconds in a pipe, and none for a quick step", () => {
  const { display, written, clock } = displayOn({});
  for (let ms = 0; ms <= 7_000; ms += 100) {
    display.show(at(ms));
    clock.advance(100);
  }
  display.end();
  assert.deepEqual(written, [
    " 30% copying: users 2/2, log entries 3,000/9,998, 1,000/s, 0:07 left\n",
    " 60% copying: users 2/2, log entries 6,000/9,998, 1,000/s, 0:04 left\n",
  ]);
});

test("computes a rate for each step", () => {
  const { display, written, clock } = displayOn({ isTTY: true, columns: 200 });
  display.show(at(9_998));
  clock.advance(1_000);
  const comparing = (entries: number) =>
    at(entries, { step: "comparing", users: { done: 0, total: 2 } });
  display.show(comparing(0));
  clock.advance(1_000);
  display.show(comparing(100));
  assert.match(written.at(-1) ?? "", / comparing: .* 100\/s, /);
});
