import { isUtf8 } from "node:buffer";

/** Without its line feed. The text of a line with a problem is damaged. */
export interface TextLine {
  readonly number: number;
  readonly text: string;
  readonly problem?: string;
}

const LINE_FEED = 0x0a;

/** Splits the content of a file, so that bytes which are not UTF-8 damage one line only. */
export function* linesOf(content: Buffer): Iterable<TextLine> {
  for (let start = 0, number = 1; start < content.length; number += 1) {
    const feed = content.indexOf(LINE_FEED, start);
    const end = feed < 0 ? content.length : feed;
    const bytes = content.subarray(start, end);
    const decoded = bytes.toString("utf8");
    // Some programs write a byte order mark.
    const text = number === 1 ? decoded.replace(/^\ufeff/, "") : decoded;
    yield isUtf8(bytes) ? { number, text } : { number, text, problem: "it is not valid UTF-8" };
    start = end + 1;
  }
}
