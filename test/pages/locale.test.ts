import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Words } from "../../src/pages/words.ts";
import { chooseLocale, getWords, isLocale, type Locale, locales } from "../../src/pages/words.ts";
import { anyCharacter } from "../support/any-character.ts";
import { startGate } from "../support/gate.ts";

const preferences: readonly (readonly [header: string | undefined, locale: Locale, why: string])[] =
  [
    [undefined, "en", "no header"],
    ["de", "de", "the language is available"],
    ["de-Latn-CH-1996", "de", "all subtags after the language are ignored"],
    ["de,en", "de", "the first of equal weights wins"],
    ["en;q=0.5, de;q=0.8", "de", "the weight counts, not the order"],
    ["hu, fil;q=0.9, es;q=0.2", "es", "unavailable languages are skipped"],
    ["de;xq=0.1, fr;q=0.5", "de", "other parameters are not weights"],
    ["de;level=1;q=0.1, fr;q=0.5", "fr", "the weight may follow another parameter"],
    ["de;q=0", "en", "a weight of zero excludes the language"],
    ["de-DE-1996-x-private-use-of-a-browser", "de", "all subtags that follow are ignored"],
    ["pt", "pt-BR", "the language without a region is available in one"],
    ["pt-PT, es;q=0.9", "pt-BR", "the language counts before its region"],
    ["PT-br", "pt-BR", "case does not matter"],
    ["tr-TR-u-nu-arab", "tr", "extensions are ignored"],
    ["nb-NO, no;q=0.9", "en", "Norwegian is not Danish"],
    ["ja-JP", "ja", "the region is ignored"],
    ["ja-Latn", "ja", "the language counts before its script"],
    ["zh", "zh-Hans", "Chinese without a region is simplified"],
    ["zh-CN", "zh-Hans", "the region selects the script"],
    ["zh-SG, zh-TW;q=0.9", "zh-Hans", "the region selects the script"],
    ["zh-HK", "zh-Hant", "the region selects the script"],
    ["zh-mo", "zh-Hant", "the region selects the script in any case"],
    ["zh-TW, zh;q=0.9, en;q=0.8", "zh-Hant", "the region selects the script"],
    ["zh-Hans-CN", "zh-Hans", "the script is available"],
    ["zh-Hans-TW", "zh-Hans", "the script counts before the region"],
    ["zh-hant", "zh-Hant", "the script is available in any case"],
    ["ZH-HANT-TW-x-private", "zh-Hant", "all subtags after the region are ignored"],
    ["zh-Latn, ja;q=0.9", "zh-Hans", "the language counts before its script"],
    ["zh-Hantx-TW", "zh-Hans", "a subtag of a wrong length is ignored"],
    ["zh-u-nu-hanidec", "zh-Hans", "extensions are ignored"],
    ["*", "en", "a wildcard accepts the default language"],
    ["*, de;q=0.5", "en", "a wildcard has a weight, too"],
    ["*;q=0.5, de", "de", "a wildcard has a weight, too"],
    ["en;q=0, *", "de", "a wildcard does not accept what was refused"],
    ["*;q=0", "en", "a wildcard can exclude all languages"],
    ["fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr", "a typical browser header is parsed"],
    ["de;q=high, fr;q=0.1", "fr", "a language with an invalid weight is ignored"],
    ["de;q=2, fr;q=0.1", "fr", "a weight above one is ignored"],
    ["deutsch, french", "en", "a longer word is another language"],
    ["constructor, __proto__;q=0.9, toString", "en", "names of Object.prototype are not languages"],
    [";;;,,;q=1,-de,q=1", "en", "nonsense is ignored"],
    [`${"x,".repeat(400)}es`, "es", "a long header is read"],
    [`${"x,".repeat(500)}es`, "en", "only 1,000 characters are read"],
  ];

for (const [header, locale, why] of preferences) {
  const shown = JSON.stringify(header)?.slice(0, 60);
  test(`Accept-Language ${shown} selects ${locale}: ${why}`, () => {
    assert.equal(chooseLocale(header), locale);
  });
}

test("selects an available language for any header", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (header) => {
      assert.ok(isLocale(chooseLocale(header)));
    }),
  );
});

test("serves every page in every language with Vary: Accept-Language", async (t) => {
  const gate = await startGate(t);
  const inEach = async (path: string, textIn: (words: Words) => string, session?: string) => {
    for (const locale of locales) {
      const words = getWords(locale);
      const answer = await gate.send(path, { headers: { "Accept-Language": locale }, session });
      assert.ok(answer.body.includes(textIn(words)), `${path}: ${textIn(words)}`);
      assert.ok(answer.body.includes(`<html lang="${locale}" dir="${words.direction}">`));
      assert.equal(answer.headers.vary, "Accept-Language");
    }
  };
  await inEach("/setup", (words) => words.createAccount);
  await inEach("/nothing", (words) => words.messages.noSuchPage);
  const session = await gate.setUp();
  await inEach("/login", (words) => words.signInTo("Latchkey"));
  await inEach("/login?error=1", (words) => words.signInFailed);
  await inEach("/account/history", (words) => words.events.signup("owner"), session);
  await inEach("/logout", (words) => words.messages.formsOnly);
});

test("a fixed language overrides the reader's preference", async (t) => {
  const gate = await startGate(t, { locale: "es" });
  for (const headers of [{}, { "Accept-Language": "de, fr;q=0.9" }]) {
    assert.match((await gate.send("/login", { headers })).body, /<html lang="es"/);
  }
});
