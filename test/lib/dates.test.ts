import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAge, parseDate, parseFutureDate } from "../../src/lib/dates.ts";

test("reads a date in its time zone, or else as local time, and a day from its start", (t) => {
  const before = process.env.TZ;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = "Asia/Tokyo";
  for (const [text, time] of [
    ["2030-01-31T18:00Z", "2030-01-31T18:00:00.000Z"],
    ["2030-01-31T18:00:30-05:00", "2030-01-31T23:00:30.000Z"],
    ["2030-01-31T18:00", "2030-01-31T09:00:00.000Z"],
    ["2030-01-31", "2030-01-30T15:00:00.000Z"],
  ] as const) {
    const date = parseDate(text);
    assert.equal(date?.toJSON(), time);
    assert.deepEqual(parseFutureDate(text, Date.parse(time) - 1), date);
    assert.equal(parseFutureDate(text, Date.parse(time)), undefined);
  }
});

test("reads nothing else, such as a day that no month has", () => {
  const wrong = ["", "yesterday", "2030", "2030-13-01", "2030-02-30", "2030-02-30T00:00"];
  for (const text of [...wrong, "31.1.2030", "2030-01-31T", "2030-01-31Tnoon", "12030-01-31"]) {
    assert.deepEqual([parseDate(text), parseFutureDate(text, 0)], [undefined, undefined], text);
  }
});

test("reads an age in seconds, minutes, hours or days", () => {
  const read = ["90s", "15m", "2h", "7d", "0s", "999999d"].map(parseAge);
  assert.deepEqual(read, [90_000, 900_000, 7_200_000, 604_800_000, 0, 86_399_913_600_000]);
  for (const text of ["", "2", "h", "-2h", "2w", "1.5h", "2h ", "1000000s", "2030-01-31"]) {
    assert.equal(parseAge(text), undefined, text);
  }
});
