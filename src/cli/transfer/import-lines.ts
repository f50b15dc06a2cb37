import { isUtf8 } from "node:buffer";
import { AnyFault } from "../../core/base/fault.ts";
import { objectIn } from "../../core/base/json.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import type { ImportLine } from "../../core/transfer/import-users.ts";
import { counted } from "../command.ts";
import { csvRecords } from "./csv.ts";

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
  if (!isUtf8(content)) throw new AnyFault("import_unreadable", "the file is not valid UTF-8");
  // Some programs write a byte order mark.
  const text = content.toString().replace(/^\ufeff/, "");
  const [first = ""] = text.trimStart().split("\n", 1);
  switch (format ?? formatOf(first)) {
    case "json":
      return yield* lineByLine(text, (line) => jsonFields(line, named));
    case "htpasswd":
      return yield* lineByLine(text, htpasswdFields);
    case "csv":
      return yield* csvLines(text, named);
  }
}

function formatOf(first: string): ImportFormat {
  if (first.startsWith("{")) return "json";
  return HTPASSWD.test(first.trim()) ? "htpasswd" : "csv";
}

/** `name:hash`, in which files for Compose double each `$`. */
const HTPASSWD = /^([^:]+):(\$[^:\s,]+)(:.*)?$/;

function htpasswdFields(text: string): ImportFields | string {
  const [, username, hash, more] = HTPASSWD.exec(text) ?? [];
  if (hash === undefined) return "it is not a username and a hash";
  if (more !== undefined) return "a third field, such as one-time codes, cannot be imported";
  return new Map([
    ["username", username],
    ["passwordhash", hash.replaceAll("$$", "$")],
  ]);
}

/** @param read Returns the fields of a line, or why it has none. */
function* lineByLine(
  text: string,
  read: (line: string) => ImportFields | string,
): Iterable<ImportLine> {
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() !== "") yield { line: at + 1, fields: read(line.trim()) };
  }
}

function* csvLines(text: string, named: Naming): Iterable<ImportLine> {
  let columns: readonly string[] | undefined;
  for (const { line, fields, problem } of csvRecords(text)) {
    const isBlank = problem === undefined && fields.length === 1 && fields[0]?.trim() === "";
    if (isBlank) continue;
    if (columns === undefined) columns = columnsIn(problem === undefined ? fields.map(named) : []);
    else yield { line, fields: problem ?? csvFields(fields, columns) };
  }
}

/** The name by which the import knows a field. */
type Naming = (name: string) => string;

function columnsIn(columns: readonly string[]): readonly string[] {
  if (new Set(columns).size < columns.length) {
    throw new AnyFault("import_header", "the first line names a column twice");
  }
  if (["username", "passwordhash"].every((one) => columns.includes(one))) return columns;
  throw new AnyFault(
    "import_header",
    "the first line must name the columns username and password_hash, separated by commas; --username-from names another for the username",
  );
}

function csvFields(fields: readonly string[], columns: readonly string[]): ImportFields | string {
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
