import { Fault } from "../../core/base/fault.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import type { ImportLine } from "../../core/transfer/import-users.ts";
import { counted } from "../terminal.ts";
import { type CsvRecord, csvRecords } from "./csv.ts";
import { linesOf, type TextLine } from "./text-lines.ts";

export const importFormats = ["csv", "json"] as const;

export type ImportFormat = (typeof importFormats)[number];

/** The records of a file. Without a given format, its first character decides. */
export function importLines(
  content: Buffer,
  format: ImportFormat | undefined,
): Iterable<ImportLine> {
  const lines = [...linesOf(content)];
  const first = lines.find((line) => !isBlank(line));
  const found = first?.text.trimStart().startsWith("{") ? "json" : "csv";
  return (format ?? found) === "json" ? lines.flatMap(readJson) : csvLines(lines);
}

const isBlank = ({ text, problem }: TextLine): boolean =>
  problem === undefined && text.trim() === "";

function* csvLines(lines: Iterable<TextLine>): Generator<ImportLine, void, undefined> {
  let columns: readonly string[] | undefined;
  for (const record of csvRecords(lines)) {
    if (isEmpty(record)) continue;
    if (columns === undefined) columns = columnsIn(record);
    else yield lineOf(record, columns);
  }
}

const isEmpty = ({ fields, problem }: CsvRecord): boolean =>
  problem === undefined && fields.length === 1 && fields[0]?.trim() === "";

function columnsIn({ fields, problem }: CsvRecord): readonly string[] {
  const columns = fields.map((field) => fieldName(field.trim()));
  if (new Set(columns).size < columns.length) {
    throw new Fault("import_header", "the first line names a column twice");
  }
  if (problem === undefined && ["username", "passwordhash"].every((one) => columns.includes(one))) {
    return columns;
  }
  throw new Fault(
    "import_header",
    "the first line must name the columns username and password_hash, separated by commas",
  );
}

function lineOf({ line, fields, problem }: CsvRecord, columns: readonly string[]): ImportLine {
  if (problem !== undefined) return { line, problem };
  if (fields.length !== columns.length) {
    const has = counted(fields.length, "field");
    return { line, problem: `it has ${has} instead of ${columns.length}` };
  }
  return { line, fields: new Map(columns.map((column, at) => [column, fields[at]])) };
}

function readJson({ number: line, ...read }: TextLine): readonly ImportLine[] {
  if (isBlank({ number: line, ...read })) return [];
  const fields = read.problem ?? fieldsIn(read.text);
  return [typeof fields === "string" ? { line, problem: fields } : { line, fields }];
}

/** Omits the parser's message, which quotes the text and so could show a hash. */
function fieldsIn(text: string): ImportFields | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value).map(([name, one]) => [fieldName(name), one] as const);
      const fields = new Map<string, unknown>(entries);
      return fields.size === entries.length ? fields : "it has a field twice";
    }
  } catch {}
  return "it is not a JSON object";
}
