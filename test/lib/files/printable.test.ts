import assert from "node:assert/strict";
import { test } from "node:test";
import { toPrintable } from "../../../src/lib/files/printable.ts";

const shown: Readonly<Record<string, readonly [string, string]>> = {
  "an escape sequence, and the one-character form of its beginning": [
    "\u001b[2J\u009b2J",
    "\\u{1b}[2J\\u{9b}2J",
  ],
  "line breaks, which would overwrite or forge a line": [
    "a\r\nb\u2028\u2029",
    "a\\u{d}\\u{a}b\\u{2028}\\u{2029}",
  ],
  "other control characters": ["\u0000\t\u0007\b\u007f", "\\u{0}\\u{9}\\u{7}\\u{8}\\u{7f}"],
  "marks that turn the direction of writing": ["a\u202eb\u2066", "a\\u{202e}b\\u{2066}"],
  "letters that cannot be seen": ["a\u200bb\ufeff\u{e0041}", "a\\u{200b}b\\u{feff}\\u{e0041}"],
};

for (const [what, [text, expected]] of Object.entries(shown)) {
  test(`escapes ${what}`, () => assert.equal(toPrintable(text), expected));
}

test("leaves ordinary text of any language unchanged", () => {
  const texts = ["", "owner@example.org", "Käthe Ñandú", "日本語 עברית", "🔑 €", "\\u{a} '\""];
  for (const text of texts) assert.equal(toPrintable(text), text);
});
