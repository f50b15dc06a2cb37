import { Fault } from "../../core/fault.ts";
import { LONGEST_LINE, type TextLine } from "./text-lines.ts";

export interface CsvRecord {
  /** The one in which it begins. */
  readonly line: number;
  readonly fields: readonly string[];
  readonly problem?: string;
}

/**
 * CSV as RFC 4180 has it, one line after the other. What stands between quotes may go over several
 * lines, so a line that cannot be read makes the rest unreadable: a name with line breaks in it
 * must not be taken for records.
 */
interface CsvReader {
  /** Answers with a record where the line ends one. */
  read(line: TextLine): CsvRecord | undefined;
  /** Throws where a quote has never been closed. */
  end(): void;
}

export function createCsvReader(): CsvReader {
  let fields: string[] = [];
  let field = "";
  let problem: string | undefined;
  let quoted = false;
  let start = 0;
  let length = 0;

  function addUnquoted(text: string, from: number): number {
    const comma = text.indexOf(",", from);
    const end = comma < 0 ? text.length : comma;
    const rest = text.slice(from, end);
    if (rest.includes('"')) problem = "there is a quote in a field that does not begin with one";
    fields.push(field + rest);
    field = "";
    return comma < 0 ? -1 : comma + 1;
  }

  /** Answers with where it goes on behind the closing quote, or -1 where there is none. */
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

  /** Answers whether the record ends here. */
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
        if (at < text.length && text[at] !== ",") problem = "there is text behind a closing quote";
      }
      at = addUnquoted(text, at);
    }
    return true;
  }

  return {
    read(line) {
      if (!quoted) [fields, problem, start, length] = [[], undefined, line.number, 0];
      length += line.text.length + 1;
      if (line.problem === "too-long" || length > LONGEST_LINE) {
        throw unreadable(start, "it is longer than 1 MiB");
      }
      if (line.problem === "not-utf8") problem = "it is not UTF-8";
      const text = line.text.endsWith("\r") ? line.text.slice(0, -1) : line.text;
      if (!add(text)) {
        field += text === line.text ? "\n" : "\r\n";
        return undefined;
      }
      return { line: start, fields, ...(problem === undefined ? {} : { problem }) };
    },
    end() {
      if (quoted) throw unreadable(start, "it has a quote that is never closed");
    },
  };
}

const unreadable = (line: number, reason: string): Fault =>
  new Fault("import_unreadable", `line ${line} and what follows it cannot be read: ${reason}`);

/** Quoted only where it has to be. */
export const csvLine = (fields: readonly string[]): string =>
  fields
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
