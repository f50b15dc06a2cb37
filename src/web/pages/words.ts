import { de } from "./words/de.ts";
import { en, type Sentences } from "./words/en.ts";
import { es } from "./words/es.ts";
import { fr } from "./words/fr.ts";
import { labels, titles } from "./words/labels.ts";

export const locales = ["en", "de", "fr", "es"] as const;
export type Locale = (typeof locales)[number];

export type Words = typeof en &
  Readonly<Record<keyof typeof labels, string>> & {
    /** Of error pages, by the names of their messages. */
    readonly titles: Readonly<Record<string, string>>;
  };

/** A text for each of `locales`. A missing one is a type error. */
type Translated = readonly [string, string, string, string];

const sentences: Readonly<Record<Locale, Sentences>> = { en, de, fr, es };

const inColumn = (column: number, rows: Readonly<Record<string, Translated>>) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row[column]]));

const all = Object.fromEntries(
  locales.map((locale, column) => {
    const short = { ...inColumn(column, labels), titles: inColumn(column, titles) };
    return [locale, { ...short, ...sentences[locale] }];
  }),
) as Readonly<Record<Locale, Words>>;

export const wordsIn = (locale: Locale): Words => all[locale];

export const isLocale = (text: string): text is Locale => Object.hasOwn(all, text);

/** One for each language: making a format takes longer than rendering a page. */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** A time, for a reader in any time zone. */
export interface ShownTime {
  /** In ISO 8601. The page's script shows how long ago it was. */
  readonly at: string;
  /** To the minute in UTC, formatted for the reader. */
  readonly utc: string;
}

export function shownTime(locale: Locale, at: Date): ShownTime {
  formats[locale] ??= new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return { at: at.toISOString(), utc: `${formats[locale].format(at)} UTC` };
}

/** Longer than what browsers send. The rest is ignored: it would cost time for each of its commas. */
const MAX_LENGTH = 1_000;

/** The available language that the browser prefers, otherwise English. `de-AT` counts as `de`. */
export function preferredLocale(acceptLanguage = ""): Locale {
  const ranges = acceptLanguage.slice(0, MAX_LENGTH).split(",");
  const known = ranges.flatMap((range) => {
    const locale = (/^\s*([a-z]+)/i.exec(range)?.[1] ?? "").toLowerCase();
    const weight = Number(/;\s*q\s*=\s*([^;\s]*)/i.exec(range)?.[1] ?? 1);
    return isLocale(locale) && weight > 0 && weight <= 1 ? [{ locale, weight }] : [];
  });
  return known.sort((one, other) => other.weight - one.weight)[0]?.locale ?? "en";
}
