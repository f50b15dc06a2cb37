import { Fault } from "../../core/base/fault.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import type { ImportLine } from "../../core/transfer/import-users.ts";
import { counted } from "../terminal.ts";
import { type CsvRecord, createCsvReader } from "./csv.ts";
import { linesOf, type TextLine } from "./text-lines.ts";

export const importFormats = ["csv", "json"] as const;

export type ImportFormat = (typeof importFormats)[number];

type Reader = (line: TextLine) => ImportLine | undefined;

/** The records of a file. Without a given format, its first character decides. */
export async function* importLines(
  chunks: AsyncIterable<Uint8Array>,
  format: ImportFormat | undefined,
): AsyncGenerator<readonly ImportLine[], void, undefined> {
  let reading: { read: Reader; end(): void } | undefined;
  for await (const lines of linesOf(chunks)) {
    const page: ImportLine[] = [];
    for (const line of lines) {
      const isNothing = isBlank(line) || line.problem === "too-long";
      reading ??= isNothing ? undefined : readingOf(format ?? formatOf(line));
      const read = (reading?.read ?? readJson)(line);
      if (read !== undefined) page.push(read);
    }
    yield page;
  }
  reading?.end();
}

const isBlank = ({ text, problem }: TextLine): boolean =>
  problem === undefined && text.trim() === "";

const formatOf = ({ text }: TextLine): ImportFormat =>
  text.trimStart().startsWith("{") ? "json" : "csv";

function readingOf(format: ImportFormat): { read: Reader; end(): void } {
  if (format === "json") return { read: readJson, end: () => {} };
  const csv = createCsvReader();
  let columns: readonly string[] | undefined;
  return {
    read(line) {
      const record = csv.read(line);
      if (record === undefined || isEmpty(record)) return undefined;
      if (columns !== undefined) return lineOf(record, columns);
      columns = columnsIn(record);
      return undefined;
    },
    end: () => csv.end(),
  };
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

function readJson(line: TextLine): ImportLine | undefined {
  if (isBlank(line)) return undefined;
  const fields = line.problem === undefined ? fieldsIn(line.text) : LINE_PROBLEMS[line.problem];
  return typeof fields === "string"
    ? { line: line.number, problem: fields }
    : { line: line.number, fields };
}

const LINE_PROBLEMS = {
  "too-long": "it is longer than 16 MiB",
  "not-utf8": "it is not valid UTF-8",
} as const;

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
