import { isUtf8 } from "node:buffer";

/**
 * Without its line feed. The text of a line that is not UTF-8 is damaged. Of one that is too long, it
 * is a quote if the line has an odd number of them, which tells where a quoted field of CSV ends.
 */
export interface TextLine {
  readonly number: number;
  readonly text: string;
  readonly problem?: "not-utf8" | "too-long";
}

export const MAX_LINE_BYTES: number = 16 * 1_048_576;

const LINE_FEED = 0x0a;
const QUOTE = 0x22;

/** Splits chunks of any size into lines, and yields all lines that end in a chunk together. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly TextLine[], void, undefined> {
  let begun = emptyLine();
  let number = 0;
  const end = (): TextLine => {
    number += 1;
    const line = lineIn(number, begun);
    begun = emptyLine();
    return line;
  };
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, start)) {
      add(begun, chunk.subarray(start, at));
      lines.push(end());
      start = at + 1;
    }
    add(begun, chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [end()];
}

/** A line whose end has not been read. Once it is too long, only its quotes are counted. */
interface BegunLine {
  parts: Uint8Array[];
  length: number;
  quotes: number;
}

const emptyLine = (): BegunLine => ({ parts: [], length: 0, quotes: 0 });

function add(line: BegunLine, part: Uint8Array): void {
  line.length += part.length;
  line.parts.push(part);
  if (line.length <= MAX_LINE_BYTES) return;
  for (const one of line.parts) line.quotes += quotesIn(one);
  line.parts = [];
}

function quotesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) count += 1;
  return count;
}

function lineIn(number: number, { parts, length, quotes }: BegunLine): TextLine {
  if (length > MAX_LINE_BYTES) {
    return { number, text: quotes % 2 === 0 ? "" : '"', problem: "too-long" };
  }
  const bytes = Buffer.concat(parts);
  const decoded = bytes.toString("utf8");
  // Some programs write a byte order mark.
  const text = number === 1 ? decoded.replace(/^\ufeff/, "") : decoded;
  return isUtf8(bytes) ? { number, text } : { number, text, problem: "not-utf8" };
}
