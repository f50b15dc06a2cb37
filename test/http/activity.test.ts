import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent, eventTypes } from "../../src/audit/events.ts";
import type { LogEntry } from "../../src/db/records.ts";
import { formatActivity } from "../../src/features/activity/format-activity-pages.ts";
import { getWords, locales } from "../../src/pages/words.ts";

const AT = new Date("2031-05-09T22:04:59.999Z");

const entryOf = (event: Partial<LogEntry>): LogEntry => ({
  ...{ id: 1, at: AT, type: "other", summary: "Something else", author: "system" },
  ...event,
});

const textIn = (locale: (typeof locales)[number], event: Partial<LogEntry>) =>
  formatActivity(locale, entryOf(event)).text;

for (const locale of locales) {
  test(`translates each type of entry to ${locale}`, () => {
    const { events } = getWords(locale);
    for (const type of eventTypes) {
      assert.equal(textIn(locale, { type, subject: "Zoë" }), events[type]("Zoë"));
    }
    const denied = { type: "signin_rate_limited", address: "192.0.2.1" };
    assert.equal(textIn(locale, denied), events.signin_rate_limited("192.0.2.1"));
  });
}

test("keeps the summary of an entry of unknown type", () => {
  const summary = "Signed in as a <b>";
  assert.equal(textIn("de", { type: "backup", summary }), summary);
});

test("gives an entry its time for programs and for the reader", () => {
  const time = { at: "2031-05-09T22:04:59.999Z", utc: "09.05.2031, 22:04 UTC" };
  const text = getWords("de").events.signin("first");
  const signedIn = formatActivity("de", entryOf(createAuditEvent("signin", { name: "first" })));
  assert.deepEqual(signedIn, { text, ...time });
});
