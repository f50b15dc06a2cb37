import { AnyFault } from "../../core/base/fault.ts";

interface CsvRecord {
  /** The number of its first line. */
  readonly line: number;
  readonly fields: readonly string[];
  readonly problem?: string;
}

/** What is after a field: a comma, the end of a line or of the file. */
const ENDING = /,|\r?(?:\n|$)/g;

/**
 * Reads CSV (RFC 4180). A quoted field may contain line breaks, so a quote that is never closed makes
 * the rest unreadable, and this throws: a part of a name must not be read as a record.
 */
export function* csvRecords(text: string): Iterable<CsvRecord> {
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const fields: string[] = [];
    let problem: string | undefined;
    for (let ending = ","; ending === ","; ) {
      const isQuoted = text[at] === '"';
      const close = isQuoted ? closingQuote(text, at + 1) : at;
      if (close < 0) {
        const reason = `cannot read line ${line} and the lines after it: a quote is never closed`;
        throw new AnyFault("import_unreadable", reason);
      }
      ENDING.lastIndex = isQuoted ? close + 1 : at;
      const found = ENDING.exec(text);
      const end = found?.index ?? text.length;
      const plain = text.slice(isQuoted ? close + 1 : at, end);
      if (isQuoted && plain !== "") problem = "there is text after a closing quote";
      else if (plain.includes('"')) problem = "an unquoted field contains a quote";
      const quoted = isQuoted ? text.slice(at + 1, close).replaceAll('""', '"') : "";
      fields.push(unescaped(quoted + plain));
      ending = found?.[0] ?? "";
      at = end + ending.length;
    }
    yield { line, fields, ...(problem === undefined ? {} : { problem }) };
    line += text.slice(start, at).split("\n").length - 1;
  }
}

/** Its position; -1 if there is none. A quote in the field is doubled. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** What a spreadsheet may run as a formula. It may ignore white space and read a quote as its own. */
const FORMULA = /^[\s']*[=+\-@\t\r\n＝＋－＠]/;

/** A text that could be a formula gets a quote, and only such a text loses one again. */
const escaped = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const unescaped = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;

/** Quotes only the fields that need it. */
export const csvLine = (fields: readonly string[]): string =>
  fields
    .map(escaped)
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
