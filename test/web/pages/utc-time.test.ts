import assert from "node:assert/strict";
import { test } from "node:test";
import { utcIn } from "../../../src/web/pages/utc-time.ts";

const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 31, 23, 59, seconds));

test("writes a time in UTC in the reader's language", () => {
  // Some languages have a narrow space before PM.
  const plain = (text: string): string => text.replace(/\s/g, " ");
  assert.equal(plain(utcIn("en", at(0))), "Jan 31, 2030, 11:59 PM UTC");
  assert.equal(plain(utcIn("de", at(0))), "31.01.2030, 23:59 UTC");
  assert.equal(plain(utcIn("fr", at(0))), "31 janv. 2030, 23:59 UTC");
  assert.equal(plain(utcIn("es", at(0))), "31 ene 2030, 23:59 UTC");
});

test("formats each minute once in each language", (t) => {
  const format = t.mock.getter(Intl.DateTimeFormat.prototype, "format");
  const texts = [at(60), at(61), at(119)].map((time) => utcIn("en", time));
  assert.equal(new Set(texts).size, 1);
  assert.equal(format.mock.callCount(), 1);
  assert.notEqual(utcIn("en", at(120)), texts[0]);
  assert.equal(format.mock.callCount(), 2);
  assert.notEqual(utcIn("en", new Date(-1)), utcIn("en", new Date(0)), "also before 1970");
});
