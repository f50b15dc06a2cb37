import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuditEvent, type EventType, eventTypes } from "../../src/audit/events.ts";
import type { LogEntry, UserId } from "../../src/db/records.ts";
import { formatEntries } from "../../src/features/activity/format-activity-pages.ts";
import { getWords, locales } from "../../src/pages/words.ts";

const AT = new Date("2031-05-09T22:04:59.999Z");

const entryOf = (event: Partial<LogEntry>): LogEntry => ({
  ...{ id: 1, at: AT, type: "other", summary: "Something else", author: "system" },
  ...event,
});

const textIn = (locale: (typeof locales)[number], event: Partial<LogEntry>) =>
  formatEntries(locale, [entryOf(event)])[0]?.text;

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

test("names an app that exists by its name, and no account that has its ID", () => {
  const photos = { id: "photos", name: "Photos", createdAt: new Date(0) };
  const apps = { find: (id: string) => (id === photos.id ? photos : undefined) };
  const textOf = (type: EventType, name: string) =>
    formatEntries("en", [entryOf(createAuditEvent(type, { name }))], { apps })[0]?.text;
  const { events } = getWords("en");
  assert.equal(textOf("app_signin", "photos"), events.app_signin("Photos"));
  assert.equal(textOf("app_remove", "wiki"), events.app_remove("wiki"));
  assert.equal(textOf("user_groups", "photos"), events.user_groups("photos"));
});

test("gives an entry its time for programs and for the reader", () => {
  const time = { at: "2031-05-09T22:04:59.999Z", utc: "09.05.2031, 22:04 UTC" };
  const text = getWords("de").events.signin("first");
  const signedIn = entryOf(createAuditEvent("signin", { name: "first" }));
  const rest = { details: [], isAlarming: false, count: 1 };
  assert.deepEqual(formatEntries("de", [signedIn]), [{ text, ...rest, ...time }]);
});

test("merges equal neighbours, with their number, and marks what can mean an attack", () => {
  const key = entryOf(createAuditEvent("key_add", { name: "ada" }));
  const wrong = entryOf(createAuditEvent("code_rejected", { name: "ada" }));
  const elsewhere = { ...key, address: "192.0.2.9" };
  const shown = formatEntries("en", [key, key, wrong, key, elsewhere]);
  assert.deepEqual(
    shown.map(({ isAlarming, count }) => [isAlarming, count]),
    [
      [false, 2],
      [true, 1],
      [false, 1],
      [false, 1],
    ],
  );
});

test("names the author, the device and the address, but not the reader as the author", () => {
  const entry = { author: "admin ada", device: "Firefox on Linux", address: "192.0.2.1" };
  const detailsFor = (username: string) =>
    formatEntries("en", [entryOf(entry)], { reader: { id: "1" as UserId, username } })[0]?.details;
  assert.deepEqual(detailsFor("ben"), ["by ada", "Firefox on Linux", "192.0.2.1"]);
  assert.deepEqual(detailsFor("ada"), ["Firefox on Linux", "192.0.2.1"]);
});
