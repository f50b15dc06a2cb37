import { isUtf8 } from "node:buffer";

/** Without its line feed. The text of a line with a problem is empty or damaged. */
export interface TextLine {
  readonly number: number;
  readonly text: string;
  readonly problem?: "not-utf8" | "too-long";
}

export const MAX_LINE_BYTES = 1_048_576;

const LINE_FEED = 0x0a;

/** Splits chunks of any size into lines, and yields all lines that end in a chunk together. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly TextLine[], void, undefined> {
  let begun: Uint8Array[] = [];
  let length = 0;
  let number = 0;
  const line = (end: Uint8Array): TextLine => {
    number += 1;
    const bytes = Buffer.concat([...begun, end]);
    const total = length + end.length;
    [begun, length] = [[], 0];
    return lineIn(number, bytes, total);
  };
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      lines.push(line(chunk.subarray(start, end)));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    // The bytes of a line that is too long are counted but not stored.
    if (length <= MAX_LINE_BYTES && rest.length > 0) begun.push(rest);
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [line(new Uint8Array())];
}

function lineIn(number: number, bytes: Buffer, length: number): TextLine {
  if (length > MAX_LINE_BYTES) return { number, text: "", problem: "too-long" };
  const decoded = bytes.toString("utf8");
  // Some programs write a byte order mark.
  const text = number === 1 ? decoded.replace(/^\ufeff/, "") : decoded;
  return isUtf8(bytes) ? { number, text } : { number, text, problem: "not-utf8" };
}
