/**
 * Text that somebody else chose, safe to show on a terminal or in a line of a log: control
 * characters, which could move the cursor, forge a line or hide one, are shown by their number.
 */
export function printable(text: string, newlines: "escape" | "keep-newlines" = "escape"): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === "\n" && newlines === "keep-newlines"
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
