import assert from "node:assert/strict";
import { test } from "node:test";
import { progressDisplay } from "../../../src/cli/transfer/progress.ts";
import type { Progress } from "../../../src/core/transfer/transfer-store.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const at = (entries: number): Progress => ({
  step: "copying",
  users: { done: 2, total: 2 },
  entries: { done: entries, total: 9_998 },
});

/** What a display writes of a second with a report every ten milliseconds. */
function written(output: { readonly isTTY?: boolean; readonly columns?: number }) {
  const texts: string[] = [];
  const clock = fakeClock();
  const write = (text: string) => texts.push(text);
  const display = progressDisplay({ ...output, write }, clock.monotonic);
  for (let ms = 0; ms < 1_000; ms += 10) {
    display.show(at(ms));
    clock.advance(10);
  }
  display.end();
  return texts;
}

test("draws a line at once, at most ten times a second, and clears it at the end", () => {
  const texts = written({ isTTY: true, columns: 60 });
  assert.equal(texts.length, 11);
  assert.equal(texts[9], "\rcopying: users 2/2, log entries 900/9,998\u001b[K");
  assert.equal(texts[10], "\r\u001b[K");
});

test("cuts the line to the width of the terminal, 80 columns if it is unknown", () => {
  for (const [columns, shown] of [
    [20, "copying: users 2/2,"],
    [0, "copying: users 2/2, log entries 0/9,998"],
  ] as const) {
    assert.equal(written({ isTTY: true, columns })[0], `\r${shown}\u001b[K`);
  }
});

test("writes nothing where there is no terminal", () => {
  assert.deepEqual(written({}), []);
});
