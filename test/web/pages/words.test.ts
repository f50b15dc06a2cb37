import assert from "node:assert/strict";
import { test } from "node:test";
import { locales, shownTime, wordsIn } from "../../../src/web/pages/words.ts";

type Text = string | ((...given: string[]) => string);
type Texts = { readonly [name: string]: Text | Texts };

const flatten = (texts: Texts, under = ""): readonly (readonly [string, Text])[] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === "object" ? flatten(text, `${under}${name}.`) : [[`${under}${name}`, text]],
  );

const readNames = (texts: Texts): readonly string[] => flatten(texts).map(([name]) => name);

const ARGUMENT = "4711";

/** A text as a page shows it, with the test argument if it takes one. */
const render = (text: Text): string => (typeof text === "string" ? text : text(ARGUMENT, ARGUMENT));

/** Templates that operators have changed use these texts. One that is missing stops the start. */
const PROMISED = [
  ...["direction", "signInTo", "username", "password", "signIn", "signInFailed", "noAccountYet"],
  ...["setUpFirst", "setUpApp", "setUpAbout", "setupToken", "setupTokenHint", "passwordAgain"],
  ...["domain", "domainHint", "createAccount", "accountAt", "signedInAs", "signOut"],
  ...["changePassword", "currentPassword", "newPassword", "newPasswordHint"],
  ...["notices.passwordIsChanged", "recentActivity", "problemAt", "problemIn"],
  ...["quoteRequest", "show", "hide", "capsLock"],
];

test("no text is removed that a changed template may use", () => {
  const names = new Set(readNames(wordsIn("en")));
  const missing = PROMISED.filter((name) => !names.has(name));
  assert.deepEqual(missing, []);
});

/** Other programs may look for these. */
const FIXED = [
  ...["invalid setup token", "username and password are required", "passwords do not match"],
  ...["all fields are required", "current password is incorrect", "new passwords do not match"],
  "password must be at least 8 characters",
];

for (const locale of locales) {
  const words = wordsIn(locale);

  test(`${locale} has every text, and no text is blank`, () => {
    assert.deepEqual(readNames(words), readNames(wordsIn("en")));
    for (const [name, text] of flatten(words)) {
      assert.equal(typeof text, typeof Object.fromEntries(flatten(wordsIn("en")))[name], name);
      assert.match(render(text), /^\S(.*\S)?$/, name);
    }
  });

  test(`${locale}: no text contains a character that a page would escape`, () => {
    for (const [name, text] of flatten(words)) assert.doesNotMatch(render(text), /[&<>"'`]/, name);
  });

  test(`${locale}: a text with an argument contains it once and unchanged`, () => {
    const about = flatten(words).filter(
      ([, text]) => text.length === 1 && typeof text === "function",
    );
    assert.ok(about.length > 0);
    for (const [name, text] of about) {
      assert.equal(render(text).split(ARGUMENT).length, 2, name);
    }
  });

  test(`${locale}: a message is a sentence, except for those that are fixed in English`, () => {
    const fixed = Object.values(words.messages).filter((text) => !/^\p{Lu}.*\.$/u.test(text));
    assert.deepEqual(fixed, locale === "en" ? FIXED : []);
  });

  test(`${locale}: all messages differ, and the text direction is valid in HTML`, () => {
    const messages = Object.values(words.messages);
    assert.equal(new Set(messages).size, messages.length);
    assert.match(words.direction, /^(ltr|rtl)$/);
  });
}

/** German has this word for them, too. */
const ALIKE = new Set(["direction", "passkeys"]);

for (const locale of locales.filter((one) => one !== "en")) {
  test(`${locale} is translated: no text equals the English one`, () => {
    const english = Object.fromEntries(flatten(wordsIn("en")));
    const same = flatten(wordsIn(locale)).filter(
      ([name, text]) => !ALIKE.has(name) && render(text) === render(english[name] ?? ""),
    );
    assert.deepEqual(same, []);
  });
}

test("shows a time in ISO 8601, and to the minute in UTC in the reader's language", () => {
  const time = new Date(Date.UTC(2030, 0, 31, 23, 59, 1));
  const shown = locales.map((locale) => shownTime(locale, time));
  assert.equal(shown[0]?.at, "2030-01-31T23:59:01.000Z");
  assert.deepEqual(
    // Some languages have a narrow space before PM.
    shown.map(({ utc }) => utc.replace(/\s/g, " ")),
    [
      "Jan 31, 2030, 11:59 PM UTC",
      "31.01.2030, 23:59 UTC",
      "31 janv. 2030, 23:59 UTC",
      "31 ene 2030, 23:59 UTC",
    ],
  );
});
