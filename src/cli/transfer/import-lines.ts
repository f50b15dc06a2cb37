import { Fault } from "../../core/base/fault.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import type { ImportLine } from "../../core/transfer/import-users.ts";
import { counted } from "../terminal.ts";
import { type CsvRecord, csvRecords } from "./csv.ts";
import { linesOf, type TextLine } from "./text-lines.ts";

export const importFormats = ["csv", "json", "htpasswd"] as const;

export type ImportFormat = (typeof importFormats)[number];

/**
 * The records of a file. Without a given format, the first line decides.
 *
 * @param usernameFrom The field that has the username.
 */
export function* importLines(
  content: Buffer,
  format: ImportFormat | undefined,
  usernameFrom = "username",
): Generator<ImportLine, void, undefined> {
  const source = fieldName(usernameFrom);
  const named = (name: string): string => {
    const field = fieldName(name.trim());
    if (field === source) return "username";
    return field === "username" ? "otherusername" : field;
  };
  const lines = [...linesOf(content)];
  const first = lines.find((line) => !isBlank(line));
  switch (format ?? formatOf(first?.text ?? "")) {
    case "json":
      return yield* lines.flatMap((line) => readJson(line, named));
    case "htpasswd":
      return yield* lines.flatMap(readHtpasswd);
    case "csv":
      return yield* csvLines(lines, named);
  }
}

function formatOf(first: string): ImportFormat {
  if (first.trimStart().startsWith("{")) return "json";
  return HTPASSWD.test(first) ? "htpasswd" : "csv";
}

/** `name:hash`, in which files for Compose double each `$`. */
const HTPASSWD = /^([^:]+):(\$[^:\s,]+)(:.*)?$/;

function readHtpasswd({ number: line, ...read }: TextLine): readonly ImportLine[] {
  if (isBlank({ number: line, ...read })) return [];
  const [, username, hash, more] = HTPASSWD.exec(read.text.trim()) ?? [];
  if (read.problem !== undefined) return [{ line, problem: read.problem }];
  if (hash === undefined) return [{ line, problem: "it is not a username and a hash" }];
  if (more !== undefined) {
    return [{ line, problem: "a third field, such as one-time codes, cannot be imported" }];
  }
  const fields = [["username", username] as const, ["passwordhash", hash.replaceAll("$$", "$")]];
  return [{ line, fields: new Map(fields as readonly (readonly [string, unknown])[]) }];
}

const isBlank = ({ text, problem }: TextLine): boolean =>
  problem === undefined && text.trim() === "";

function* csvLines(
  lines: Iterable<TextLine>,
  named: Naming,
): Generator<ImportLine, void, undefined> {
  let columns: readonly string[] | undefined;
  for (const record of csvRecords(lines)) {
    if (isEmpty(record)) continue;
    if (columns === undefined) columns = columnsIn(record, named);
    else yield lineOf(record, columns);
  }
}

const isEmpty = ({ fields, problem }: CsvRecord): boolean =>
  problem === undefined && fields.length === 1 && fields[0]?.trim() === "";

/** The name by which the import knows a field. */
type Naming = (name: string) => string;

function columnsIn({ fields, problem }: CsvRecord, named: Naming): readonly string[] {
  const columns = fields.map(named);
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

function readJson({ number: line, ...read }: TextLine, named: Naming): readonly ImportLine[] {
  if (isBlank({ number: line, ...read })) return [];
  const fields = read.problem ?? fieldsIn(read.text, named);
  return [typeof fields === "string" ? { line, problem: fields } : { line, fields }];
}

/** Omits the parser's message, which quotes the text and so could show a hash. */
function fieldsIn(text: string, named: Naming): ImportFields | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value).map(([name, one]) => [named(name), one] as const);
      const fields = new Map<string, unknown>(entries);
      return fields.size === entries.length ? fields : "it has a field twice";
    }
  } catch {}
  return "it is not a JSON object";
}
