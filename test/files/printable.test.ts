import assert from "node:assert/strict";
import { test } from "node:test";
import { printable } from "../../src/files/printable.ts";

const shown: Readonly<Record<string, readonly [string, string]>> = {
  "an escape sequence that clears the screen": ["\u001b[2J", "\\u{1b}[2J"],
  "the one-character form of its beginning": ["\u009b2J", "\\u{9b}2J"],
  "a carriage return, which would overwrite the line": ["a\rb", "a\\u{d}b"],
  "a newline, which would forge a line": ["a\nb", "a\\u{a}b"],
  "a tab, a bell and a backspace": ["\t\u0007\b", "\\u{9}\\u{7}\\u{8}"],
  "NUL and DEL": ["\u0000\u007f", "\\u{0}\\u{7f}"],
  "marks that turn the direction of writing": ["a\u202eb\u2066", "a\\u{202e}b\\u{2066}"],
  "letters that cannot be seen": ["a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
  "line and paragraph separators": ["\u2028\u2029", "\\u{2028}\\u{2029}"],
  "an invisible tag beyond the first 65,536": ["\u{e0041}", "\\u{e0041}"],
};

for (const [what, [text, expected]] of Object.entries(shown)) {
  test(`escapes ${what}`, () => {
    assert.equal(printable(text), expected);
  });
}

test("leaves ordinary text of any language unchanged", () => {
  for (const text of [
    "",
    "owner@example.org",
    "Käthe Ñandú",
    "日本語 עברית",
    "🔑 €",
    "\\u{a} '\"",
  ]) {
    assert.equal(printable(text), text);
  }
});
