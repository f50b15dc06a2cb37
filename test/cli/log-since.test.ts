import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSince } from "../../src/cli/log.ts";

const NOW = Date.UTC(2030, 0, 31, 18, 0, 0);

const since = (text: string): string | undefined => parseSince(text, NOW)?.toISOString();

test("subtracts an age in seconds, minutes, hours or days from now, or reads a date", () => {
  assert.deepEqual(["90s", "15m", "2h", "7d", "0s", "2030-01-31T18:00:30-05:00"].map(since), [
    "2030-01-31T17:58:30.000Z",
    "2030-01-31T17:45:00.000Z",
    "2030-01-31T16:00:00.000Z",
    "2030-01-24T18:00:00.000Z",
    "2030-01-31T18:00:00.000Z",
    "2030-01-31T23:00:30.000Z",
  ]);
});

for (const text of ["", "yesterday", "2", "h", "-2h", "2w", "1.5h", "2030", "2030-02-30"]) {
  test(`--since ${JSON.stringify(text)} is refused with the accepted forms`, () => {
    assert.throws(() => parseSince(text, NOW), /^Error: --since takes [^\n]+$/);
  });
}
