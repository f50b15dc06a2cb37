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

/** JSON leaves some control characters as they are, and terminals obey them: they are escaped too. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
