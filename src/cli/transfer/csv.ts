import { Fault } from "../../lib/fault.ts";

interface CsvRecord {
  /** Contains the number of the record's first line. */
  readonly line: number;
  readonly fields: readonly string[];
  readonly problem?: string;
}

/** Matches the end of a field: a comma, the end of a line or the end of the file. */
const ENDING = /,|\r?(?:\n|$)/g;

/**
 * Reads CSV (RFC 4180) from pieces. A quoted field may contain line breaks, so the text after a
 * quote that is never closed is unreadable. The reader then throws, because a part of a name must
 * not be read as a record.
 */
export function* parseCsv(texts: Iterable<string>): Iterable<CsvRecord> {
  const pieces = texts[Symbol.iterator]();
  let text = "";
  let at = 0;
  let isAll = false;
  for (let line = 1; !isAll || at < text.length; ) {
    const record = at < text.length ? parseRecord(text, at) : undefined;
    // A piece can end within the record, and even within its last line break.
    if (record === undefined || (record.end === text.length && !isAll)) {
      if (isAll) {
        const reason = `cannot read line ${line} and the lines after it: a quote is never closed`;
        throw new Fault("import_unreadable", reason);
      }
      ({ text, isAll } = readMore(text.slice(at), pieces));
      at = 0;
      continue;
    }
    const { fields, problem, end } = record;
    yield { line, fields, ...(problem === undefined ? {} : { problem }) };
    line += text.slice(at, end).split("\n").length - 1;
    at = end;
  }
}

/**
 * Reads pieces until the text has at least doubled, so that a field of many pieces is not searched
 * again for each piece.
 */
function readMore(start: string, pieces: Iterator<string>): { text: string; isAll: boolean } {
  const parts = [start];
  for (let added = 0; added <= start.length; ) {
    const next = pieces.next();
    if (next.done === true) return { text: parts.join(""), isAll: true };
    parts.push(next.value);
    added += next.value.length;
  }
  return { text: parts.join(""), isAll: false };
}

interface ParsedRecord extends Omit<CsvRecord, "line"> {
  /** Contains the position at which the next record begins. */
  readonly end: number;
}

/** Parses one record. Returns `undefined` if a quote is not closed in the text. */
function parseRecord(text: string, start: number): ParsedRecord | undefined {
  const fields: string[] = [];
  let problem: string | undefined;
  let at = start;
  for (let ending = ","; ending === ","; ) {
    const isQuoted = text[at] === '"';
    const close = isQuoted ? findClosingQuote(text, at + 1) : at;
    if (close < 0) return undefined;
    ENDING.lastIndex = isQuoted ? close + 1 : at;
    const match = ENDING.exec(text);
    const end = match?.index ?? text.length;
    const plain = text.slice(isQuoted ? close + 1 : at, end);
    if (isQuoted && plain !== "") problem = "there is text after a closing quote";
    else if (plain.includes('"')) problem = "an unquoted field contains a quote";
    const quoted = isQuoted ? text.slice(at + 1, close).replaceAll('""', '"') : "";
    fields.push(unescapeFormula(quoted + plain));
    ending = match?.[0] ?? "";
    at = end + ending.length;
  }
  return { fields, end: at, ...(problem === undefined ? {} : { problem }) };
}

/**
 * Returns the position of the closing quote, or -1 if there is none. A quote in the field is
 * doubled.
 */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/**
 * Matches text that a spreadsheet may run as a formula. A spreadsheet may ignore white space before
 * it and read a quote as its own.
 */
const FORMULA = /^[\s']*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Adds a quote to text that could be a formula. Only such text loses a quote in an import. */
const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const unescapeFormula = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;

/** Formats a line. It quotes only the fields that need quotes. */
export const formatCsvLine = (fields: readonly string[]): string =>
  fields
    .map(escapeFormula)
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
