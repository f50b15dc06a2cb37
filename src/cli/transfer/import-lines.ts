import { AnyFault } from "../../core/base/fault.ts";
import { objectIn } from "../../core/base/json.ts";
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
): Iterable<ImportLine> {
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
      return yield* lineByLine(lines, (text) => jsonFields(text, named));
    case "htpasswd":
      return yield* lineByLine(lines, htpasswdFields);
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

function htpasswdFields(text: string): ImportFields | string {
  const [, username, hash, more] = HTPASSWD.exec(text.trim()) ?? [];
  if (hash === undefined) return "it is not a username and a hash";
  if (more !== undefined) return "a third field, such as one-time codes, cannot be imported";
  return new Map([
    ["username", username],
    ["passwordhash", hash.replaceAll("$$", "$")],
  ]);
}

/** @param read Returns the fields of a line, or why it has none. */
function* lineByLine(
  lines: Iterable<TextLine>,
  read: (text: string) => ImportFields | string,
): Iterable<ImportLine> {
  for (const one of lines) {
    if (!isBlank(one)) yield { line: one.number, fields: one.problem ?? read(one.text) };
  }
}

const isBlank = ({ text, problem }: TextLine): boolean =>
  problem === undefined && text.trim() === "";

function* csvLines(lines: Iterable<TextLine>, named: Naming): Iterable<ImportLine> {
  let columns: readonly string[] | undefined;
  for (const record of csvRecords(lines)) {
    if (isEmpty(record)) continue;
    if (columns === undefined) columns = columnsIn(record, named);
    else yield { line: record.line, fields: record.problem ?? csvFields(record, columns) };
  }
}

const isEmpty = ({ fields, problem }: CsvRecord): boolean =>
  problem === undefined && fields.length === 1 && fields[0]?.trim() === "";

/** The name by which the import knows a field. */
type Naming = (name: string) => string;

function columnsIn({ fields, problem }: CsvRecord, named: Naming): readonly string[] {
  const columns = fields.map(named);
  if (new Set(columns).size < columns.length) {
    throw new AnyFault("import_header", "the first line names a column twice");
  }
  if (problem === undefined && ["username", "passwordhash"].every((one) => columns.includes(one))) {
    return columns;
  }
  throw new AnyFault(
    "import_header",
    "the first line must name the columns username and password_hash, separated by commas",
  );
}

function csvFields({ fields }: CsvRecord, columns: readonly string[]): ImportFields | string {
  if (fields.length === columns.length)
    return new Map(columns.map((name, at) => [name, fields[at]]));
  return `it has ${counted(fields.length, "field")} instead of ${columns.length}`;
}

/** Omits the parser's message, which quotes the text and so could show a hash. */
function jsonFields(text: string, named: Naming): ImportFields | string {
  const value = objectIn(text);
  if (value === undefined) return "it is not a JSON object";
  const entries = Object.entries(value).map(([name, one]) => [named(name), one] as const);
  const fields = new Map(entries);
  return fields.size === entries.length ? fields : "it has a field twice";
}
