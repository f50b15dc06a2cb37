import assert from "node:assert/strict";
import { test } from "node:test";
import { locales, wordsIn } from "../../../src/web/pages/words.ts";

type Text = string | ((argument: never) => string);
type Texts = { readonly [name: string]: Text | Texts };

const allIn = (texts: Texts, under = ""): readonly (readonly [string, Text])[] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === "object" ? allIn(text, `${under}${name}.`) : [[`${under}${name}`, text]],
  );

const namesIn = (texts: Texts): readonly string[] => allIn(texts).map(([name]) => name);

const ARGUMENT = "4711";

/** Every text as it stands on a page, whatever it is about. */
const spoken = (text: Text): string =>
  typeof text === "string" ? text : (text as (argument: string) => string)(ARGUMENT);

test("the messages that the contract fixes are these in English, word for word", () => {
  const { messages } = wordsIn("en");
  assert.deepEqual(
    [
      ...[messages.invalidSetupToken, messages.usernameOrPasswordMissing, messages.passwordsDiffer],
      ...[messages.fieldMissing, messages.currentPasswordIncorrect, messages.newPasswordsDiffer],
      messages.newPasswordTooShort,
    ],
    [
      ...["invalid setup token", "username and password are required", "passwords do not match"],
      ...["all fields are required", "current password is incorrect"],
      ...["new passwords do not match", "password must be at least 8 characters"],
    ],
  );
});

for (const locale of locales) {
  const words = wordsIn(locale);

  test(`${locale} has every text, and none is blank`, () => {
    assert.deepEqual(namesIn(words), namesIn(wordsIn("en")));
    for (const [name, text] of allIn(words)) {
      assert.equal(typeof text, typeof Object.fromEntries(allIn(wordsIn("en")))[name], name);
      assert.match(spoken(text), /^\S(.*\S)?$/, name);
    }
  });

  test(`${locale}: no text has a sign that a page would escape, so that it is found there as it is`, () => {
    for (const [name, text] of allIn(words)) assert.doesNotMatch(spoken(text), /[&<>"'`]/, name);
  });

  test(`${locale}: a text about something names it, once and unchanged`, () => {
    const about = allIn(words).filter(([, text]) => typeof text === "function");
    assert.ok(about.length > 0);
    for (const [name, text] of about) {
      assert.equal(spoken(text).split(ARGUMENT).length, 2, name);
    }
  });

  test(`${locale}: no two messages of a form are the same, and the direction is one that HTML knows`, () => {
    const said = Object.values(words.messages).map(spoken);
    assert.equal(new Set(said).size, said.length);
    assert.match(words.direction, /^(ltr|rtl)$/);
  });
}

for (const locale of locales.filter((one) => one !== "en")) {
  test(`${locale} is a translation: hardly a text is the English one`, () => {
    const english = Object.fromEntries(allIn(wordsIn("en")));
    const same = allIn(wordsIn(locale)).filter(
      ([name, text]) => name !== "direction" && spoken(text) === spoken(english[name] ?? ""),
    );
    assert.deepEqual(same, []);
  });
}
