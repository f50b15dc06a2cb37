import { createBoundedMemory, memoize } from "../lib/bounded-memory.ts";
import {
  compileIsolating,
  compilePlural,
  compileText,
  type FillText,
  type PluralForms,
} from "./compile-text.ts";
import { readLanguageFile } from "./language-files.ts";
import en from "./words/en.json" with { type: "json" };

/**
 * Lists the languages, each as a BCP 47 tag. The texts of a language are in the file of its tag in
 * lower case, such as `words/pt-br.json`. A region selects a language of its script: `zh-TW` is
 * `zh-Hant`. Without one of this script, the first one of this language counts: `pt` is `pt-BR`.
 */
export const locales = [
  "en",
  "de",
  "fr",
  "es",
  "it",
  "pt-BR",
  "nl",
  "pl",
  "cs",
  "sv",
  "da",
  "fi",
  "uk",
  "ru",
  "tr",
  "ar",
  "ja",
  "ko",
  "zh-Hans",
  "zh-Hant",
] as const;
export type Locale = (typeof locales)[number];

export const isLocale = (text: string): text is Locale => locales.some((locale) => locale === text);

/** Lists the placeholders of each text in the order of the function's parameters. */
const placeholders = {
  listed: ["first", "second"],
  sentences: ["first", "second"],
  deviceOn: ["browser", "system"],
  addedAt: ["date"],
  usedAt: ["date"],
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
  continueWith: ["provider"],
  withFailed: ["provider"],
  linkWith: ["provider"],
  mailSignUpTitle: ["app"],
  mailAccountExistsTitle: ["app"],
  mailApprovedTitle: ["app"],
  mailApprovalTitle: ["app"],
  mailApprovalAbout: ["name"],
  signUpDomains: ["domains"],
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

/** Contains the texts of a language as its file has them. Tests compare each file with the English. */
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

/** Each language is read and compiled on first use and kept, apart from English, which is loaded. */
const compiled: Partial<Record<Locale, Words>> = {};

export function getWords(locale: Locale): Words {
  const known = compiled[locale];
  if (known !== undefined) return known;
  const texts = locale === "en" ? en : readTexts(locale);
  if (texts === undefined) return getWords("en");
  const words = compileWords(locale, texts);
  compiled[locale] = words;
  return words;
}

/**
 * Reads the texts of a language. An upgrade can replace the files while this process runs: a text
 * that a newer file does not have is English, and so are all texts while the file cannot be read.
 */
function readTexts(locale: Locale): Texts | undefined {
  let read: Readonly<Record<string, unknown>>;
  try {
    read = JSON.parse(readLanguageFile(`${locale.toLowerCase()}.json`));
  } catch {
    return undefined;
  }
  const complete = Object.entries(en).map(([name, english]) => {
    const text = read[name] ?? english;
    return [name, isGroup(english) ? Object.assign({}, english, text) : text] as const;
  });
  return Object.fromEntries(complete) as Texts;
}

const isGroup = (texts: string | object): boolean =>
  typeof texts === "object" && !("other" in texts);

function compileWords(locale: Locale, texts: Texts): Words {
  const rules = new Intl.PluralRules(locale);
  const compileSentence = texts.direction === "rtl" ? compileIsolating : compileText;
  const compile = (text: string | PluralForms, names: readonly string[]): FillText =>
    typeof text === "string" ? compileSentence(text, names) : compilePlural(text, names, rules);
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

/**
 * Each language has one cached format, because creating a format takes longer than rendering a
 * page.
 */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** Every language has the digits of codes and addresses, which stand beside the times. */
const DAY = { dateStyle: "medium", timeZone: "UTC", numberingSystem: "latn" } as const;

/** Contains a time for a reader in any time zone. */
export interface ShownTime {
  /** The time is in ISO 8601. The page's script shows how long ago it was. */
  readonly at: string;
  /** The time in UTC is accurate to the minute and formatted for the reader. */
  readonly utc: string;
}

export function formatTime(locale: Locale, at: Date): ShownTime {
  formats[locale] ??= new Intl.DateTimeFormat(locale, {
    ...DAY,
    timeStyle: "short",
  });
  return { at: at.toISOString(), utc: formatMinute(locale, formats[locale], at) };
}

const days: Partial<Record<Locale, Intl.DateTimeFormat>> = {};

/** Like `formatTime`, for a time of which only the day matters. */
export function formatDate(locale: Locale, at: Date): ShownTime {
  days[locale] ??= new Intl.DateTimeFormat(locale, DAY);
  return { at: at.toISOString(), utc: days[locale].format(at) };
}

const MINUTE_MS = 60_000;
const MAX_MINUTES = 2_000;

/**
 * Formatting a time takes longer than the rest of its line, and most pages show the same times. The
 * key is a minute in a language.
 */
const minutes = createBoundedMemory<number, string>(MAX_MINUTES);

function formatMinute(locale: Locale, format: Intl.DateTimeFormat, at: Date): string {
  const minute = Math.floor(at.getTime() / MINUTE_MS) * locales.length + locales.indexOf(locale);
  let text = minutes.get(minute);
  if (text === undefined) {
    text = `${format.format(at)} UTC`;
    minutes.set(minute, text);
  }
  return text;
}

const collators: Partial<Record<Locale, Intl.Collator>> = {};

/** Compares names in the order of the reader's alphabet, with numbers by their value. */
export function getCollator(locale: Locale): Intl.Collator {
  // It is made on first use, since the tables of all languages take 2 MB of memory.
  collators[locale] ??= new Intl.Collator(locale, { numeric: true });
  return collators[locale];
}

interface Named {
  readonly name: string;
}

/** Returns what `sort` takes to put things by their names into the order of the reader's alphabet. */
export function createNameOrder(locale: Locale): (first: Named, second: Named) => number {
  const { compare } = getCollator(locale);
  return (first, second) => compare(first.name, second.name);
}

/** Joins names into a list in the reader's language, such as `a, b`. */
export function formatList(locale: Locale, names: readonly string[]): string {
  const { listed } = getWords(locale);
  return names.length === 0 ? "" : names.reduce((first, second) => listed(first, second));
}

/** Browsers send shorter headers. The rest is ignored, because each comma in it costs time. */
const MAX_LENGTH = 1_000;

const getPrimary = (tag: string): string => tag.replace(/-.*/, "").toLowerCase();

/** Lists the languages by the first subtag of their tags. */
const byPrimary = Map.groupBy(locales, getPrimary);

/** Finds the language of a tag such as `de-AT`: the one of its script, or else the first. */
function findLocale(tag: string): Locale | undefined {
  const range = tag.toLowerCase();
  const [first, ...others] = byPrimary.get(getPrimary(range)) ?? [];
  if (others.length === 0) return first;
  const script = getScript(range);
  return others.find((locale) => locale.toLowerCase().endsWith(`-${script}`)) ?? first;
}

/** A tag has fewer regions: two letters, or three digits. */
const MAX_REGIONS = 2_000;

/** Finding the script of a region takes longer than reading a whole header. */
const findScriptOfRegion = memoize(MAX_REGIONS, (range: string) =>
  `${new Intl.Locale(range).maximize().script}`.toLowerCase(),
);

/** Returns the script of a tag, or else the one of its region, such as `hant` for `zh-tw`. */
const getScript = (range: string): string =>
  /-([a-z]{4})\b/.exec(range)?.[1] ?? findScriptOfRegion(range);

/** Matches language, script and region of a tag. Other subtags change nothing here. */
const TAG = /^\s*(\*|[a-z]+(?:-[a-z]{4}\b)?(?:-(?:[a-z]{2}|\d{3})\b)?)/i;

/**
 * Chooses the available language that the browser prefers, or else English. `de-AT` counts as `de`, and
 * `*` as the first language that the browser does not name.
 */
export function chooseLocale(acceptLanguage = ""): Locale {
  return findPreferredLocale(acceptLanguage.slice(0, MAX_LENGTH));
}

const MAX_HEADERS = 100;

/** There are few different headers, and each page needs the choice. */
const findPreferredLocale = memoize(MAX_HEADERS, (header: string): Locale => {
  const ranges = header.split(",");
  const accepted = ranges.flatMap((range) => {
    const tag = TAG.exec(range)?.[1] ?? "";
    const locale = tag === "*" ? ("*" as const) : findLocale(tag);
    const weight = Number(/;\s*q\s*=\s*([^;\s]*)/i.exec(range)?.[1] ?? 1);
    return locale !== undefined && weight >= 0 && weight <= 1 ? [{ locale, weight }] : [];
  });
  const [best] = accepted
    .filter(({ weight }) => weight > 0)
    .sort((first, second) => second.weight - first.weight)
    .map(({ locale }) => locale);
  if (best !== "*") return best ?? "en";
  const named = new Set(accepted.map(({ locale }) => locale));
  return locales.find((locale) => !named.has(locale)) ?? "en";
});

/** Users who accept an invitation choose their username, which can have any length. */
const MAX_SHOWN_TEXT = 100;

/** Shortens a text that others have chosen, so that it fits on a page. */
export const shortenText = (text: string): string =>
  text.length <= MAX_SHOWN_TEXT ? text : `${text.slice(0, MAX_SHOWN_TEXT).toWellFormed()}…`;

/** Returns the name of a device in the reader's language. */
export function formatDevice(locale: Locale, device: string): string {
  const { deviceOn, unknownDevice } = getWords(locale);
  if (device === "") return unknownDevice;
  const [browser = "", system] = device.split(" on ");
  return system === undefined ? device : deviceOn(browser, system);
}
