import { AnyFault } from "../../core/base/fault.ts";
import type { TextLine } from "./text-lines.ts";

export interface CsvRecord {
  /** The number of its first line. */
  readonly line: number;
  readonly fields: readonly string[];
  readonly problem?: string;
}

/**
 * Reads CSV (RFC 4180). A quoted field may contain line breaks, so a quote that is never closed makes
 * the rest unreadable, and this throws: a part of a name must not be read as a record.
 */
export function* csvRecords(lines: Iterable<TextLine>): Iterable<CsvRecord> {
  let fields: string[] = [];
  let field = "";
  let problem: string | undefined;
  let quoted = false;
  let start = 0;

  function addUnquoted(text: string, from: number): number {
    const comma = text.indexOf(",", from);
    const end = comma < 0 ? text.length : comma;
    const rest = text.slice(from, end);
    if (rest.includes('"')) problem = "an unquoted field contains a quote";
    fields.push(unescaped(field + rest));
    field = "";
    return comma < 0 ? -1 : comma + 1;
  }

  /** Returns the position after the closing quote, or -1 if the line has none. */
  function addQuoted(text: string, from: number): number {
    for (let at = from; ; ) {
      const quote = text.indexOf('"', at);
      field += text.slice(at, quote < 0 ? text.length : quote);
      if (quote < 0) return -1;
      if (text[quote + 1] !== '"') return quote + 1;
      field += '"';
      at = quote + 2;
    }
  }

  /** Returns whether the record ends with this text. */
  function add(text: string): boolean {
    for (let at = 0; at >= 0; ) {
      if (!quoted && text[at] === '"') {
        quoted = true;
        at += 1;
      }
      if (quoted) {
        at = addQuoted(text, at);
        if (at < 0) return false;
        quoted = false;
        if (at < text.length && text[at] !== ",") problem = "there is text after a closing quote";
      }
      at = addUnquoted(text, at);
    }
    return true;
  }

  for (const line of lines) {
    if (!quoted) [fields, problem, start] = [[], undefined, line.number];
    problem = line.problem ?? problem;
    const text = line.text.endsWith("\r") ? line.text.slice(0, -1) : line.text;
    if (add(text)) yield { line: start, fields, ...(problem === undefined ? {} : { problem }) };
    else field += text === line.text ? "\n" : "\r\n";
  }
  if (!quoted) return;
  throw new AnyFault(
    "import_unreadable",
    `cannot read line ${start} and the lines after it: a quote is never closed`,
  );
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
