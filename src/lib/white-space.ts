/** The pattern includes U+0085, which is white space in Unicode, but not for `String.trim`. */
const WHITE_SPACE = /^[\s\u0085]$/;

/**
 * Removes white space from both ends of a text, and a byte order mark, which some editors write.
 * The loop is linear, while a regular expression takes quadratic time for spaces inside the text.
 */
export function trimWhiteSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && WHITE_SPACE.test(text.charAt(start))) start += 1;
  while (start < end && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
