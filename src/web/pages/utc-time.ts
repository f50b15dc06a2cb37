import type { ShownTime } from "./page-data.ts";
import type { Locale } from "./words.ts";

/** One for each language: making a format takes longer than rendering a page. */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** A time for a page: in ISO 8601, and to the minute in UTC, formatted for the reader. */
export function shownTime(locale: Locale, at: Date): ShownTime {
  formats[locale] ??= new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return { at: at.toISOString(), utc: `${formats[locale].format(at)} UTC` };
}
