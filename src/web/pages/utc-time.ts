import { type BoundedMemory, createBoundedMemory } from "../../core/base/bounded-memory.ts";
import type { Locale } from "./words.ts";

const UTC_FORMAT = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
const MINUTE_MS = 60_000;
const MAX_MINUTES = 2_048;

/** Kept, because making a format takes longer than the rest of a page, and using it than its row. */
interface Times {
  readonly format: Intl.DateTimeFormat;
  readonly byMinute: BoundedMemory<number, string>;
}

const times: Partial<Record<Locale, Times>> = {};

/** A time in UTC, to the minute, in the reader's language. */
export function utcIn(locale: Locale, at: Date): string {
  times[locale] ??= {
    format: new Intl.DateTimeFormat(locale, UTC_FORMAT),
    byMinute: createBoundedMemory(MAX_MINUTES),
  };
  const { format, byMinute } = times[locale];
  const minute = Math.floor(at.getTime() / MINUTE_MS);
  const known = byMinute.get(minute);
  if (known !== undefined) return known;
  const text = `${format.format(at)} UTC`;
  byMinute.set(minute, text);
  return text;
}
