import { type EventType, eventIn } from "../../core/events.ts";
import type { LogEntry } from "../../core/log-reader.ts";
import type { ActivityEntry } from "./page-data.ts";
import { type Locale, type Words, wordsIn } from "./words.ts";

const inWords: Readonly<Record<EventType, (words: Words, subject: string) => string>> = {
  signin: (words, username) => words.someoneSignedIn(username),
  signin_rate_limited: (words, address) => words.someoneWasSlowedDown(address),
  signup: (words, username) => words.accountWasCreated(username),
  password_change: (words) => words.passwordWasChanged,
  user_add: (words, username) => words.accountWasAdded(username),
  user_password: (words, username) => words.passwordWasSet(username),
  user_rename: (words, username) => words.accountWasRenamed(username),
  user_remove: (words, username) => words.accountWasRemoved(username),
  user_sign_out: (words, username) => words.sessionsWereEnded(username),
  user_sign_out_all: (words) => words.allSessionsWereEnded,
  user_import: (words, count) => words.accountsWereImported(count),
  log_import: (words, count) => words.entriesWereImported(count),
};

const utcFormats = new Map<Locale, Intl.DateTimeFormat>();

/** Cached: creating a format takes longer than the rest of the page. */
function utcFormat(locale: Locale): Intl.DateTimeFormat {
  const cached = utcFormats.get(locale);
  if (cached !== undefined) return cached;
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  utcFormats.set(locale, format);
  return format;
}

/** Log entries in the reader's language. An entry of an unknown type keeps its summary. */
export function activityIn(locale: Locale, entries: readonly LogEntry[]): readonly ActivityEntry[] {
  const words = wordsIn(locale);
  const format = utcFormat(locale);
  return entries.map((entry) => {
    const event = eventIn(entry);
    return {
      text: event === undefined ? entry.summary : inWords[event.type](words, event.subject),
      at: entry.at.toISOString(),
      utc: `${format.format(entry.at)} UTC`,
    };
  });
}
