import assert from "node:assert/strict";
import { test } from "node:test";
import { compileIsolating, compilePlural, compileText } from "../../src/pages/compile-text.ts";

test("puts each value in place of its placeholder, in the order of the text", () => {
  const text = compileText("{b}, {a} und {b}", ["a", "b"]);
  assert.equal(text("1", "2"), "2, 1 und 2");
  assert.equal(compileText("{a}", ["a"])(""), "");
  assert.equal(compileText("plain", [])(), "plain");
});

test("leaves a value as it is, also one that looks like a placeholder or a pattern", () => {
  const text = compileText("{a} – {b}", ["a", "b"]);
  assert.equal(text("{b}{a}", "$&$1<b>"), "{b}{a} – $&$1<b>");
});

/** Shows the marks around a value that has a direction of its own. */
const showMarks = (text: string): string =>
  text.replaceAll("\u2068", "⟨").replaceAll("\u2069", "⟩");

test("gives each value a direction of its own, and each name in a list", () => {
  const list = compileIsolating("{first}، {second}", ["first", "second"]);
  const text = compileIsolating("ليس في {groups}.", ["groups"]);
  assert.equal(showMarks(text("C++")), "ليس في ⟨C++⟩.");
  const names = ["admins", "C++", "مرحبا"].reduce((first, second) => list(first, second));
  assert.equal(showMarks(names), "⟨admins⟩، ⟨C++⟩، ⟨مرحبا⟩");
  assert.equal(showMarks(text(names)), "ليس في ⟨admins⟩، ⟨C++⟩، ⟨مرحبا⟩.");
  assert.equal(showMarks(text("")), "ليس في ⟨⟩.");
});

test("chooses the plural form of the language by {count}", () => {
  const forms = { one: "{count} plik", few: "{count} pliki", many: "{count} plików", other: "-" };
  const text = compilePlural(forms, ["count"], new Intl.PluralRules("pl"));
  const shown = ["0", "1", "2", "5", "22"].map((count) => text(count));
  assert.deepEqual(shown, ["0 plików", "1 plik", "2 pliki", "5 plików", "22 pliki"]);
});

test("takes the form other for a count that is not a number", () => {
  const text = compilePlural(
    { one: "{name}: one", other: "{name}: {count}" },
    ["name", "count"],
    new Intl.PluralRules("en"),
  );
  assert.equal(text("a", "50+"), "a: 50+");
  assert.equal(text("a", "1"), "a: one");
  assert.equal(
    compilePlural({ other: "{count} active" }, ["count"], new Intl.PluralRules("en"))("1"),
    "1 active",
  );
});
