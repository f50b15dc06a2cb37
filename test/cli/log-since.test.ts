import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSince } from "../../src/cli/log.ts";

const NOW = Date.UTC(2030, 0, 31, 18, 0, 0);

const since = (text: string): string | undefined => parseSince(text, NOW)?.toISOString();

test("subtracts an age in seconds, minutes, hours or days from now", () => {
  assert.deepEqual(["90s", "15m", "2h", "7d", "0s"].map(since), [
    "2030-01-31T17:58:30.000Z",
    "2030-01-31T17:45:00.000Z",
    "2030-01-31T16:00:00.000Z",
    "2030-01-24T18:00:00.000Z",
    "2030-01-31T18:00:00.000Z",
  ]);
});

test("reads a date in its time zone, or else as local time, and a day from its start", (t) => {
  const before = process.env.TZ;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = "Asia/Tokyo";
  assert.equal(since("2030-01-31T18:00Z"), "2030-01-31T18:00:00.000Z");
  assert.equal(since("2030-01-31T18:00:30-05:00"), "2030-01-31T23:00:30.000Z");
  assert.equal(since("2030-01-31T18:00"), "2030-01-31T09:00:00.000Z");
  assert.equal(since("2030-01-31"), "2030-01-30T15:00:00.000Z");
});

const wrong = ["", "yesterday", "2", "h", "-2h", "2w", "1.5h", "2030", "2030-13-01", "2030-02-30"];
for (const text of [...wrong, "31.1.2030", "2030-01-31Tnoon"]) {
  test(`--since ${JSON.stringify(text)} is refused with the accepted forms`, () => {
    assert.throws(() => parseSince(text, NOW), /^Error: --since takes [^\n]+$/);
  });
}
