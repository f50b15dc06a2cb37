import { type BoundedMemory, createBoundedMemory } from "../lib/bounded-memory.ts";
import { compilePlural, compileText, type FillText, type PluralForms } from "./compile-text.ts";
import de from "./words/de.json" with { type: "json" };
import en from "./words/en.json" with { type: "json" };
import es from "./words/es.json" with { type: "json" };
import fr from "./words/fr.json" with { type: "json" };

export const locales = ["en", "de", "fr", "es"] as const;
export type Locale = (typeof locales)[number];

/** Lists the placeholders of each text in the order of the function's parameters. */
const placeholders = {
  signInTo: ["app"],
  toContinueTo: ["host"],
  continueTo: ["host"],
  setUpApp: ["app"],
  asksFactor: ["app"],
  invitedTo: ["app"],
  invitedBy: ["who"],
  usernameIs: ["name"],
  asGuest: ["name"],
  signedInAs: ["username"],
  signedInUntil: ["date"],
  active: ["count"],
  recoveryCodesLeft: ["count"],
  mayNotOpen: ["username", "app"],
  askOperator: ["app"],
  notThisAddress: ["app"],
  goTo: ["host"],
  codesFor: ["account"],
  hostNotAllowed: ["host"],
  noAppAt: ["host"],
  problemAt: ["app"],
  problemIn: ["title"],
  afterDays: ["days"],
  until: ["date"],
  peopleCount: ["count"],
  guestCount: ["count"],
  guestUntil: ["date"],
  nobodyFound: ["text"],
  nextMany: ["count"],
  invitationFor: ["name"],
  guestLinkFor: ["name"],
  newPasswordFor: ["name"],
  linkMade: ["date"],
  by: ["who"],
  withAccountOf: ["app"],
  consentTitle: ["app"],
  consentGets: ["host", "app"],
  deviceConfirmTitle: ["app"],
  deviceDone: ["app"],
  signOutAbout: ["app"],
  redirectRefused: ["app", "uri"],
  clientUnknown: ["id"],
  requestRefused: ["reason"],
  signOutRetrying: ["reason"],
  signOutGivenUp: ["reason"],
  appCount: ["count"],
  needAttention: ["count"],
  noAppFound: ["search"],
  bothAnd: ["first", "second"],
  atTheMoment: ["who"],
  enterInSettings: ["app"],
  addNamed: ["app"],
  knownAppAbout: ["app"],
  uriRefused: ["uri"],
  uriElsewhere: ["host", "app"],
  timesOpened: ["count"],
  byOf: ["some", "count"],
  notInGroups: ["groups"],
  letIn: ["name"],
  allActivityOf: ["name"],
  addToGroup: ["group"],
  confirmEmailAbout: ["name"],
  waitsForConfirmation: ["email"],
  endSessionsAbout: ["name"],
  mailTestTitle: ["app"],
  mailNewPasswordTitle: ["app"],
  mailNewPasswordAbout: ["name"],
  mailConfirmTitle: ["app"],
  mailConfirmAbout: ["name"],
  mailInvitationNote: ["date"],
  mailNoticeAbout: ["name"],
} as const;

/** Names a message of the error page or of a form. The English messages never change. */
export type MessageName = keyof (typeof en)["messages"];

/** Contains the texts of a language as its file has them. A missing text is a type error. */
type Texts = {
  readonly [Name in keyof typeof en]: (typeof en)[Name] extends PluralForms
    ? PluralForms
    : (typeof en)[Name];
};

/** Contains the texts of a language as templates and page functions get them. */
export type Words = Readonly<Omit<typeof en, keyof typeof placeholders | "events" | "titles">> & {
  readonly [Name in keyof typeof placeholders]: (typeof placeholders)[Name] extends readonly [
    string,
  ]
    ? (value: string) => string
    : (first: string, second: string) => string;
} & {
  readonly events: Readonly<Record<keyof (typeof en)["events"], (subject: string) => string>>;
  /** Contains the titles of error pages by the names of their messages. */
  readonly titles: Readonly<Record<string, string>>;
};

const languages: Readonly<Record<Locale, Texts>> = { en, de, fr, es };

/** Each language is compiled on first use and cached. */
const compiled: Partial<Record<Locale, Words>> = {};

export function getWords(locale: Locale): Words {
  compiled[locale] ??= compileWords(locale);
  return compiled[locale];
}

function compileWords(locale: Locale): Words {
  const texts = languages[locale];
  const compile = (text: string | PluralForms, names: readonly string[]): FillText =>
    typeof text === "string" ? compileText(text, names) : compilePlural(text, names, locale);
  const sentences = Object.entries(placeholders).map(
    ([name, names]) => [name, compile(texts[name as keyof typeof placeholders], names)] as const,
  );
  const events = Object.entries(texts.events).map(
    ([type, text]) => [type, compile(text, ["subject"])] as const,
  );
  return {
    ...texts,
    ...(Object.fromEntries(sentences) as Record<keyof typeof placeholders, FillText>),
    events: Object.fromEntries(events) as Record<keyof typeof texts.events, FillText>,
  };
}

export const isLocale = (text: string): text is Locale => Object.hasOwn(languages, text);

/**
 * Each language has one cached format, because creating a format takes longer than rendering a
 * page.
 */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** Contains a time for a reader in any time zone. */
export interface ShownTime {
  /** The time is in ISO 8601. The page's script shows how long ago it was. */
  readonly at: string;
  /** The time in UTC is accurate to the minute and formatted for the reader. */
  readonly utc: string;
}

export function formatTime(locale: Locale, at: Date): ShownTime {
  formats[locale] ??= new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return { at: at.toISOString(), utc: formatMinute(locale, formats[locale], at) };
}

const days: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** Like `formatTime`, for a time of which only the day matters. */
export function formatDate(locale: Locale, at: Date): ShownTime {
  days[locale] ??= new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  return { at: at.toISOString(), utc: days[locale].format(at) };
}

const MINUTE_MS = 60_000;
const MAX_MINUTES = 2_000;

/** Formatting a time takes longer than the rest of its line, and most pages show the same times. */
const minutes: Partial<Record<Locale, BoundedMemory<number, string>>> = {};

function formatMinute(locale: Locale, format: Intl.DateTimeFormat, at: Date): string {
  minutes[locale] ??= createBoundedMemory(MAX_MINUTES);
  const known = minutes[locale];
  const minute = Math.floor(at.getTime() / MINUTE_MS);
  let text = known.get(minute);
  if (text === undefined) {
    text = `${format.format(at)} UTC`;
    known.set(minute, text);
  }
  return text;
}

/** Browsers send shorter headers. The rest is ignored, because each comma in it costs time. */
const MAX_LENGTH = 1_000;

/**
 * Chooses the available language that the browser prefers, or else English. `de-AT` counts as `de`.
 */
export function chooseLocale(acceptLanguage = ""): Locale {
  const ranges = acceptLanguage.slice(0, MAX_LENGTH).split(",");
  const accepted = ranges.flatMap((range) => {
    const locale = (/^\s*([a-z]+)/i.exec(range)?.[1] ?? "").toLowerCase();
    const weight = Number(/;\s*q\s*=\s*([^;\s]*)/i.exec(range)?.[1] ?? 1);
    return isLocale(locale) && weight > 0 && weight <= 1 ? [{ locale, weight }] : [];
  });
  return accepted.sort((first, second) => second.weight - first.weight)[0]?.locale ?? "en";
}

/** Users who accept an invitation choose their username, which can have any length. */
const MAX_SHOWN_TEXT = 100;

/** Shortens a text that others have chosen, so that it fits on a page. */
export const shortenText = (text: string): string =>
  text.length <= MAX_SHOWN_TEXT ? text : `${text.slice(0, MAX_SHOWN_TEXT).toWellFormed()}…`;

/** Returns the name of a device in the reader's language. */
export function formatDevice(locale: Locale, device: string): string {
  const { on, unknownDevice } = getWords(locale);
  return device === "" ? unknownDevice : device.split(" on ").join(` ${on} `);
}
