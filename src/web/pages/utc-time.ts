import type { Locale } from "./words.ts";

/** Cached: creating a format takes longer than the rest of the page. */
const utcFormats: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

const UTC_FORMAT = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;

/** A time in UTC, in the reader's language. */
export function utcIn(locale: Locale, at: Date): string {
  utcFormats[locale] ??= new Intl.DateTimeFormat(locale, UTC_FORMAT);
  return `${utcFormats[locale].format(at)} UTC`;
}
