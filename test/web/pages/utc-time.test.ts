import assert from "node:assert/strict";
import { test } from "node:test";
import { shownTime } from "../../../src/web/pages/utc-time.ts";
import { locales } from "../../../src/web/pages/words.ts";

test("shows a time in ISO 8601, and to the minute in UTC in the reader's language", () => {
  const time = new Date(Date.UTC(2030, 0, 31, 23, 59, 1));
  const shown = locales.map((locale) => shownTime(locale, time));
  assert.equal(shown[0]?.at, "2030-01-31T23:59:01.000Z");
  assert.deepEqual(
    // Some languages have a narrow space before PM.
    shown.map(({ utc }) => utc.replace(/\s/g, " ")),
    [
      "Jan 31, 2030, 11:59 PM UTC",
      "31.01.2030, 23:59 UTC",
      "31 janv. 2030, 23:59 UTC",
      "31 ene 2030, 23:59 UTC",
    ],
  );
});
