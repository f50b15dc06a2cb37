import assert from "node:assert/strict";
import { test } from "node:test";
import { problems, settled } from "../gate/settings/settings-reading.ts";

const HOUR = 3_600_000;

for (const [text, ms] of [
  ["1h", HOUR],
  ["12h", 12 * HOUR],
  ["400d", 400 * 24 * HOUR],
] as const) {
  test(`LOG_RETENTION=${text} is ${ms} ms`, () => {
    assert.equal(settled({ LOG_RETENTION: text }).logRetentionMs, ms);
  });
}

for (const text of [
  "0d",
  "12",
  "d",
  "-1d",
  "1.5d",
  "1w",
  "1 d",
  "1D",
  "1000000d",
  "ever",
  "012h",
]) {
  test(`LOG_RETENTION=${text} is rejected in one line that says what is expected`, () => {
    assert.deepEqual(problems({ LOG_RETENTION: text }), [
      `LOG_RETENTION="${text}" is invalid: expected a time such as 400d or 12h`,
    ]);
  });
}
