import assert from "node:assert/strict";
import { test } from "node:test";
import { eventOf } from "../../src/core/events.ts";
import type { LogEntry } from "../../src/core/log-reader.ts";
import { activityIn } from "../../src/web/home.ts";
import { locales, wordsIn } from "../../src/web/pages/words.ts";

const AT = new Date("2031-05-09T22:04:59.999Z");

const entryOf = (event: Partial<LogEntry>): LogEntry => ({
  ...{ id: 1, at: AT, type: "other", summary: "Something else", author: "system" },
  ...event,
});

const textIn = (locale: (typeof locales)[number], event: Partial<LogEntry>) =>
  activityIn(locale, [entryOf(event)])[0]?.text;

for (const locale of locales) {
  test(`translates each type of entry to ${locale}`, () => {
    const { events } = wordsIn(locale);
    assert.equal(textIn(locale, eventOf("signin", "Zoë")), events.signin("Zoë"));
    assert.equal(textIn(locale, eventOf("signup", "Zoë")), events.signup("Zoë"));
    assert.equal(
      textIn(locale, eventOf("signin_rate_limited", "::1")),
      events.signin_rate_limited("::1"),
    );
    assert.equal(textIn(locale, eventOf("password_change")), events.password_change());
    assert.equal(textIn(locale, eventOf("user_add", "Zoë")), events.user_add("Zoë"));
    assert.equal(textIn(locale, eventOf("user_password", "Zoë")), events.user_password("Zoë"));
    assert.equal(textIn(locale, eventOf("user_rename", "Zoë")), events.user_rename("Zoë"));
    assert.equal(textIn(locale, eventOf("user_remove", "Zoë")), events.user_remove("Zoë"));
    assert.equal(textIn(locale, eventOf("user_sign_out", "Zoë")), events.user_sign_out("Zoë"));
    assert.equal(textIn(locale, eventOf("user_sign_out_all")), events.user_sign_out_all());
    assert.equal(textIn(locale, eventOf("user_import", 7)), events.user_import("7"));
    assert.equal(textIn(locale, eventOf("log_import", 7)), events.log_import("7"));
  });
}

test("keeps the summary of an entry of unknown type", () => {
  assert.equal(
    textIn("de", { type: "backup", summary: "Signed in as a <b>" }),
    "Signed in as a <b>",
  );
});

test("keeps an unusual summary of a known type", () => {
  assert.equal(textIn("de", { type: "signin", summary: "Came in" }), "Came in");
});

test("gives the full timestamp for programs and the UTC time in the reader's format", () => {
  const at = "2031-05-09T22:04:59.999Z";
  const timesIn = (locale: (typeof locales)[number]) =>
    activityIn(locale, [entryOf({})]).map((entry) => [
      entry.at,
      entry.utc.replaceAll("\u202f", " "),
    ]);
  assert.deepEqual(timesIn("en"), [[at, "May 9, 2031, 10:04 PM UTC"]]);
  assert.deepEqual(timesIn("de"), [[at, "09.05.2031, 22:04 UTC"]]);
});

test("keeps the order of the entries", () => {
  const entries = ["third", "second", "first"].map((name) => entryOf(eventOf("signin", name)));
  assert.deepEqual(
    activityIn("en", entries).map(({ text }) => text),
    ["third signed in", "second signed in", "first signed in"],
  );
  assert.deepEqual(activityIn("en", []), []);
});
