import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  formatDate,
  formatDevice,
  formatList,
  formatTime,
  getCollator,
  getWords,
  type Locale,
  locales,
} from "../../src/pages/words.ts";

const FOLDER = new URL("../../src/pages/words/", import.meta.url);

const nameFile = (locale: Locale): string => `${locale.toLowerCase()}.json`;

/** What a file of texts contains: texts, plural forms, which are also `Texts`, and groups. */
type Texts = { readonly [name: string]: string | Texts };

const readTexts = (locale: Locale): Texts =>
  JSON.parse(readFileSync(new URL(nameFile(locale), FOLDER), "utf8"));

const flatten = <Leaf>(
  texts: object,
  isLeaf: (value: unknown) => value is Leaf,
  under = "",
): readonly (readonly [string, Leaf])[] =>
  Object.entries(texts).flatMap(([name, value]) =>
    isLeaf(value)
      ? [[`${under}${name}`, value] as const]
      : flatten(value, isLeaf, `${under}${name}.`),
  );

const isString = (value: unknown): value is string => typeof value === "string";

/** Whether this is one text: a string, or its plural forms, of which one is always `other`. */
const isText = (value: unknown): value is string | Texts =>
  isString(value) || (typeof value === "object" && value !== null && "other" in value);

const readPlaceholders = (text: string): readonly string[] =>
  [...text.matchAll(/\{(.*?)\}/g)].map(([, name = ""]) => name).sort();

/** Returns what is wrong with a text, compared with the English one. */
function findTextProblems(
  text: string | Texts,
  original: string | Texts,
  locale: string,
): readonly string[] {
  const expected = readPlaceholders(String(isString(original) ? original : original.other));
  if (isString(text) && isString(original)) return comparePlaceholders(text, expected);
  if (isString(text)) return ["has no plural forms"];
  if (isString(original)) return ["has plural forms"];
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
  const missing = pluralCategories.filter((category) => !(category in text));
  const superfluous = Object.keys(text).filter((form) => !pluralCategories.some((c) => c === form));
  return [
    ...missing.map((category) => `lacks the form ${category}`),
    ...superfluous.map((form) => `has the form ${form}, which ${locale} does not`),
    // A form can spell the number out, such as "one" or "two".
    ...Object.entries(text).flatMap(([category, form]) =>
      category === "other" || /[{}]/.test(String(form))
        ? comparePlaceholders(String(form), expected)
        : [],
    ),
  ];
}

function comparePlaceholders(text: string, expected: readonly string[]): readonly string[] {
  const found = readPlaceholders(text).join();
  if (found !== expected.join()) return [`has the placeholders ${found}, not ${expected.join()}`];
  return /[{}]/.test(text.replaceAll(/\{\w+\}/g, "")) ? ["has a brace without its pair"] : [];
}

/** Returns what is wrong with the texts of a language, compared with the English ones. */
function findProblems(texts: Texts, english: Texts, locale: string): readonly string[] {
  const translated = new Map(flatten(texts, isText));
  const originals = new Map(flatten(english, isText));
  const missing = [...originals.keys()].filter((name) => !translated.has(name));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...[...translated].flatMap(([name, text]) => {
      const original = originals.get(name);
      if (original === undefined) return [`${name} is superfluous`];
      return findTextProblems(text, original, locale).map((problem) => `${name} ${problem}`);
    }),
    ...flatten(texts, isString).flatMap(([name, text]) =>
      findFormProblems(text).map((problem) => `${name} ${problem}`),
    ),
  ];
}

/** Returns what is wrong with a text by itself. */
function findFormProblems(text: string): readonly string[] {
  const wrong = [
    [/^$/, "is empty"],
    [/^\s|\s$/, "begins or ends with a space"],
    [/[&<>"'`]/, "contains one of & < > \" ' `, which a page would escape"],
    [/\p{Cc}/u, "contains a control character"],
    // A soft hyphen says where a long word can break.
    [/(?!\u00ad)\p{Cf}/u, "contains an invisible character"],
    [/\.\.\.|--/, "contains dots or hyphens in place of … or –"],
  ] as const;
  return wrong.filter(([pattern]) => pattern.test(text)).map(([, problem]) => problem);
}

/** Fails with all problems of a file, each in a line with the name of the file. */
function assertNone(locale: Locale, problems: readonly string[]): void {
  const lines = problems.map((problem) => `src/pages/words/${nameFile(locale)}: ${problem}`);
  assert.ok(lines.length === 0, `\n${lines.join("\n")}`);
}

test("each file of texts is a language", () => {
  const expected = locales.map(nameFile);
  assert.deepEqual(readdirSync(FOLDER).sort(), expected.sort());
});

for (const locale of locales) {
  test(`${locale} has the texts, placeholders and plurals that it needs`, () => {
    assertNone(locale, findProblems(readTexts(locale), readTexts("en"), locale));
  });
}

test("finds each mistake in a file of texts", () => {
  const english = {
    or: "or",
    signInTo: "Sign in to {app}",
    active: { one: "{count} active", other: "{count} active" },
    events: { signup: "{subject} signed up" },
  };
  const active = { one: "jeden", few: "{count}", many: "{count}", other: "{count}" };
  const polish = { ...english, active };
  assert.deepEqual(findProblems(polish, english, "pl"), []);
  const { or, ...without } = polish;
  const { few, ...incomplete } = active;
  for (const [texts, problem] of [
    [without, "or is missing"],
    [{ ...polish, events: {} }, "events.signup is missing"],
    [{ ...polish, and: or }, "and is superfluous"],
    [{ ...polish, or: "{app}" }, "or has the placeholders app, not "],
    [{ ...polish, signInTo: "{ap}" }, "signInTo has the placeholders ap, not app"],
    [{ ...polish, signInTo: "{app} {app}" }, "signInTo has the placeholders app,app, not app"],
    [{ ...polish, signInTo: "{app} {" }, "signInTo has a brace without its pair"],
    [{ ...polish, signInTo: active }, "signInTo has plural forms"],
    [{ ...polish, active: few }, "active has no plural forms"],
    [{ ...polish, active: incomplete }, "active lacks the form few"],
    [
      { ...polish, active: { ...active, other: "kilka" } },
      "active has the placeholders , not count",
    ],
    [{ ...polish, active: { ...active, two: few } }, "active has the form two, which pl does not"],
    [{ ...polish, active: { ...active, many: "{n}" } }, "active has the placeholders n, not count"],
    [{ ...polish, or: "" }, "or is empty"],
    [{ ...polish, or: "lub " }, "or begins or ends with a space"],
    [{ ...polish, or: "lub\tteż" }, "or contains a control character"],
    [{ ...polish, or: "lub\u200bteż" }, "or contains an invisible character"],
    [{ ...polish, or: "lub..." }, "or contains dots or hyphens in place of … or –"],
  ] as const) {
    assert.deepEqual(findProblems(texts, english, "pl"), [problem]);
  }
});

type FillText = (...values: readonly string[]) => string;

const isWord = (value: unknown): value is string | FillText =>
  isString(value) || typeof value === "function";

/** The texts as pages get them. */
const readWords = (locale: Locale) => flatten(getWords(locale), isWord);

const VALUES = ["4711", "0815"];

/** A text as a page shows it, with test values for its placeholders. */
const render = (text: string | FillText): string => (isString(text) ? text : text(...VALUES));

/** Page functions of apps use these texts. */
const PROMISED = [
  ...["direction", "signInTo", "username", "password", "signIn", "signInFailed", "noAccountYet"],
  ...["setUpFirst", "setUpApp", "setUpAbout", "setupToken", "setupTokenHint", "passwordAgain"],
  ...["domain", "domainHint", "createAccount", "signedInAs", "signOut"],
  ...["changePassword", "currentPassword", "newPassword", "newPasswordHint"],
  ...["notices.passwordIsChanged", "recentActivity", "problemAt", "problemIn"],
  ...["quoteRequest", "show", "hide", "capsLock"],
];

test("no text is removed that a page function may use", () => {
  const names = new Set(readWords("en").map(([name]) => name));
  const missing = PROMISED.filter((name) => !names.has(name));
  assert.deepEqual(missing, []);
});

test("the texts with placeholders, and all of events, are functions", () => {
  const expected = flatten(readTexts("en"), isText)
    .filter(([name, text]) => !isString(text) || text.includes("{") || name.startsWith("events."))
    .map(([name]) => name);
  const functions = readWords("en").filter(([, text]) => !isString(text));
  assert.deepEqual(functions.map(([name]) => name).sort(), expected.sort());
});

test("a text with two placeholders takes the user first, then the app", () => {
  assert.equal(getWords("en").mayNotOpen("me", "Notes"), "me may not open Notes.");
  assert.equal(getWords("de").mayNotOpen("me", "Notes"), "me darf Notes nicht öffnen.");
});

/** Other programs may look for these. */
const FIXED = [
  ...["invalid setup token", "username and password are required", "passwords do not match"],
  ...["all fields are required", "current password is incorrect", "new passwords do not match"],
  "password must be at least 8 characters",
];

for (const locale of locales) {
  const words = getWords(locale);

  test(`${locale}: each value is in its text once and unchanged`, () => {
    const placeholders = new Map(
      flatten(readTexts("en"), isText).map(([name, text]) => [
        name,
        readPlaceholders(String(isString(text) ? text : text.other)),
      ]),
    );
    for (const [name, text] of readWords(locale)) {
      const shown = VALUES.filter((value) => render(text).split(value).length === 2);
      assert.equal(shown.length, placeholders.get(name)?.length, name);
      assert.doesNotMatch(render(text), /[{}]|undefined/, name);
    }
  });

  test(`${locale}: a message is a sentence, except for those that are fixed in English`, () => {
    // Some scripts have one case only, and some languages a full stop of their own.
    const fixed = Object.values(words.messages).filter(
      (text) => !/^[\p{Lu}\p{Lo}].*[.。]$/u.test(text),
    );
    assert.deepEqual(fixed, locale === "en" ? FIXED : []);
  });

  test(`${locale}: all messages differ, and the text direction is valid in HTML`, () => {
    const messages = Object.values(words.messages);
    assert.equal(new Set(messages).size, messages.length);
    assert.match(words.direction, /^(ltr|rtl)$/);
  });
}

/** Other languages have these words, too. */
const ALIKE = new Set([
  ...["direction", "listed", "password", "account", "admin", "apps", "passkeys", "invitation"],
  ...["pages.access", "pages.apps", "pages.links", "activityKinds.links", "activityKinds.apps"],
  ...["appCount", "problemIn", "sentences"],
]);

for (const locale of locales.filter((one) => one !== "en")) {
  test(`${locale} is translated: no text equals the English one`, () => {
    const english = new Map(readWords("en"));
    const same = readWords(locale).filter(
      ([name, text]) => !ALIKE.has(name) && render(text) === render(english.get(name) ?? ""),
    );
    assertNone(
      locale,
      same.map(([name, text]) => `${name} is not translated: ${render(text)}`),
    );
  });
}

test("shows a time in ISO 8601, and to the minute in UTC in the reader's language", () => {
  const time = new Date(Date.UTC(2030, 0, 31, 23, 59, 1));
  assert.equal(formatTime("en", time).at, "2030-01-31T23:59:01.000Z");
  const shown = locales.map((locale) => [
    locale,
    // Some languages have a narrow space before PM, or marks of their direction.
    formatTime(locale, time)
      .utc.replace(/\s/g, " ")
      .replace(/\u200f/g, ""),
  ]);
  assert.deepEqual(Object.fromEntries(shown), {
    en: "Jan 31, 2030, 11:59 PM UTC",
    de: "31.01.2030, 23:59 UTC",
    fr: "31 janv. 2030, 23:59 UTC",
    es: "31 ene 2030, 23:59 UTC",
    it: "31 gen 2030, 23:59 UTC",
    "pt-BR": "31 de jan. de 2030, 23:59 UTC",
    nl: "31 jan 2030, 23:59 UTC",
    pl: "31 sty 2030, 23:59 UTC",
    cs: "31. 1. 2030 23:59 UTC",
    sv: "31 jan. 2030 23:59 UTC",
    da: "31. jan. 2030, 23.59 UTC",
    fi: "31.1.2030 klo 23.59 UTC",
    uk: "31 січ. 2030 р., 23:59 UTC",
    ru: "31 янв. 2030 г., 23:59 UTC",
    tr: "31 Oca 2030 23:59 UTC",
    ar: "31/01/2030، 11:59 م UTC",
    ko: "2030. 1. 31. 오후 11:59 UTC",
    ja: "2030/01/31 23:59 UTC",
    "zh-Hans": "2030年1月31日 23:59 UTC",
    "zh-Hant": "2030年1月31日 晚上11:59 UTC",
  });
  assert.equal(formatTime("de", new Date(+time + 60_000)).utc, "01.02.2030, 00:00 UTC");
  assert.equal(formatDate("pl", time).utc, "31 sty 2030");
});

test("lists and sorts names as the reader's language does", () => {
  const names = ["Öl", "10", "Zebra", "9"];
  const sorted = (locale: Locale) => names.toSorted(getCollator(locale).compare);
  assert.equal(formatList("de", sorted("de")), "9, 10, Öl, Zebra");
  assert.equal(formatList("sv", sorted("sv")), "9, 10, Zebra, Öl");
  assert.equal(formatList("ja", sorted("ja")), "9、10、Öl、Zebra");
  assert.equal(formatList("en", []), "");
});

test("Arabic has six plural forms, also for more than a hundred", () => {
  const { peopleCount } = getWords("ar");
  const shown = ["0", "1", "2", "3", "11", "100", "102", "103", "50+"].map((count) =>
    peopleCount(count),
  );
  assert.deepEqual(shown, [
    ...["لا أشخاص", "شخص واحد", "شخصان", "3 أشخاص", "11 شخصًا"],
    ...["100 شخص", "102 شخص", "103 أشخاص", "50+ شخص"],
  ]);
});

test("only Arabic gives a name a direction of its own, in a sentence and in a list", () => {
  for (const locale of locales) {
    const shown = getWords(locale).mayNotOpen("ada", "C++") + formatList(locale, ["ada", "C++"]);
    const isolated = shown.match(/\u2068[^\u2068\u2069]*\u2069/g) ?? [];
    const expected = locale === "ar" ? ["ada", "C++", "ada", "C++"] : [];
    assert.deepEqual(
      isolated,
      expected.map((name) => `\u2068${name}\u2069`),
      locale,
    );
  }
});

test("names a device in the reader's language", () => {
  assert.equal(formatDevice("en", "Firefox on Linux"), "Firefox on Linux");
  assert.equal(formatDevice("de", "Firefox on Linux"), "Firefox auf Linux");
  assert.equal(formatDevice("de", "curl"), "curl");
  assert.equal(formatDevice("de", ""), getWords("de").unknownDevice);
});
