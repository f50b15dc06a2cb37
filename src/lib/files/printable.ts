/**
 * Makes text from outside safe for a terminal or a log line. Replaces control characters, which
 * could move the cursor, forge a line or hide one, with their code points.
 */
export function toPrintable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * Formats a value as JSON, and also escapes the control characters that JSON leaves as they are.
 */
export function toPrintableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
