import { Fault } from "../../core/base/fault.ts";
import { objectIn } from "../../core/base/json.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import type { ImportLine } from "../../core/transfer/import-users.ts";
import { counted } from "../command.ts";
import { csvRecords } from "./csv.ts";

export const importFormats = ["csv", "json", "htpasswd"] as const;

export type ImportFormat = (typeof importFormats)[number];

/**
 * The records of a file, which is given in pieces so that the lines of a large one are never in
 * memory together.
 *
 * @param format Without one, the first line decides.
 * @param usernameFrom The field that has the username.
 */
export function* importLines(
  pieces: Iterable<Buffer>,
  format: ImportFormat | undefined,
  usernameFrom = "username",
): Iterable<ImportLine> {
  const source = fieldName(usernameFrom);
  const named = (name: string): string => {
    const field = fieldName(name.trim());
    if (field === source) return "username";
    return field === "username" ? "otherusername" : field;
  };
  const { first, texts } = withFirstLine(textsOf(pieces));
  switch (format ?? formatOf(first)) {
    case "json":
      return yield* lineByLine(linesIn(texts), (line) => jsonFields(line, named));
    case "htpasswd":
      return yield* lineByLine(linesIn(texts), htpasswdFields);
    case "csv":
      return yield* csvLines(texts, named);
  }
}

/** The text without the byte order mark that some programs write. */
function* textsOf(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (const piece of pieces) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("import_unreadable", "the file is not valid UTF-8");
  }
}

/** The first line that is not blank, and all texts. */
function withFirstLine(texts: Generator<string>): { first: string; texts: Iterable<string> } {
  const begun: string[] = [];
  let isBlank = true;
  for (let next = texts.next(); next.done !== true; next = texts.next()) {
    begun.push(next.value);
    const start: number = isBlank ? next.value.search(/\S/) : 0;
    isBlank = start === -1;
    if (!isBlank && next.value.includes("\n", start)) break;
  }
  const [first = ""] = begun.join("").trimStart().split("\n", 1);
  return { first, texts: joined(begun, texts) };
}

function* joined(...all: readonly Iterable<string>[]): Iterable<string> {
  for (const texts of all) yield* texts;
}

function* linesIn(texts: Iterable<string>): Iterable<string> {
  let begun: string[] = [];
  for (const text of texts) {
    const lines = text.split("\n");
    begun.push(lines.shift() ?? "");
    const last = lines.pop();
    if (last === undefined) continue;
    yield begun.join("");
    yield* lines;
    begun = [last];
  }
  yield begun.join("");
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
  lines: Iterable<string>,
  read: (line: string) => ImportFields | string,
): Iterable<ImportLine> {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield { line: number, fields: read(line.trim()) };
  }
}

function* csvLines(texts: Iterable<string>, named: Naming): Iterable<ImportLine> {
  let columns: readonly string[] | undefined;
  for (const { line, fields, problem } of csvRecords(texts)) {
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
    throw new Fault("import_header", "the first line names a column twice");
  }
  if (["username", "passwordhash"].every((one) => columns.includes(one))) return columns;
  throw new Fault(
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
