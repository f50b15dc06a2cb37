import { Fault } from "../../lib/fault.ts";
import { parseJsonObject } from "../../lib/json.ts";
import { formatCount } from "../command.ts";
import { parseCsv } from "./csv.ts";
import { type ImportFields, normalizeFieldName } from "./import-record.ts";
import type { ImportLine } from "./import-users.ts";

export const importFormats = ["csv", "json", "htpasswd"] as const;

export type ImportFormat = (typeof importFormats)[number];

/**
 * Parses the records of a file. The file is given in pieces, so that the lines of a large file are
 * never in memory together.
 *
 * @param format Without a format, the first line decides.
 * @param usernameFrom The field that contains the username.
 */
export function* parseImportLines(
  pieces: Iterable<Buffer>,
  format: ImportFormat | undefined,
  usernameFrom = "username",
): Iterable<ImportLine> {
  const source = normalizeFieldName(usernameFrom);
  const mapField = (name: string): string => {
    const field = normalizeFieldName(name.trim());
    if (field === source) return "username";
    return field === "username" ? "otherusername" : field;
  };
  const lines = parseFormat(pieces, format, mapField);
  // The column with the address is then that of the username.
  yield* source === "email" ? addEmails(lines) : lines;
}

function* addEmails(lines: Iterable<ImportLine>): Iterable<ImportLine> {
  for (const { line, fields } of lines) {
    if (typeof fields === "string") yield { line, fields };
    else yield { line, fields: new Map([...fields, ["email", fields.get("username")]]) };
  }
}

function* parseFormat(
  pieces: Iterable<Buffer>,
  format: ImportFormat | undefined,
  mapField: FieldMapping,
): Iterable<ImportLine> {
  const { first, texts } = readFirstLine(decodeTexts(pieces));
  switch (format ?? detectFormat(first)) {
    case "json":
      return yield* parseLines(splitLines(texts), (line) => parseJsonFields(line, mapField));
    case "htpasswd":
      return yield* parseLines(splitLines(texts), parseHtpasswdFields);
    case "csv":
      return yield* parseCsvLines(texts, mapField);
  }
}

/** Decodes the text. It omits the byte order mark that some programs write. */
function* decodeTexts(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (const piece of pieces) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("import_unreadable", "the file is not valid UTF-8");
  }
}

/** Returns the first line that is not blank, and all texts. */
function readFirstLine(texts: Generator<string>): { first: string; texts: Iterable<string> } {
  const pieces: string[] = [];
  let isBlank = true;
  for (let next = texts.next(); next.done !== true; next = texts.next()) {
    pieces.push(next.value);
    const start: number = isBlank ? next.value.search(/\S/) : 0;
    isBlank = start === -1;
    if (!isBlank && next.value.includes("\n", start)) break;
  }
  const [first = ""] = pieces.join("").trimStart().split("\n", 1);
  return { first, texts: concatTexts(pieces, texts) };
}

function* concatTexts(...all: readonly Iterable<string>[]): Iterable<string> {
  for (const texts of all) yield* texts;
}

function* splitLines(texts: Iterable<string>): Iterable<string> {
  let lineParts: string[] = [];
  for (const text of texts) {
    const lines = text.split("\n");
    lineParts.push(lines.shift() ?? "");
    const last = lines.pop();
    if (last === undefined) continue;
    yield lineParts.join("");
    yield* lines;
    lineParts = [last];
  }
  yield lineParts.join("");
}

function detectFormat(first: string): ImportFormat {
  if (first.startsWith("{")) return "json";
  return HTPASSWD.test(first.trim()) ? "htpasswd" : "csv";
}

/** Matches `name:hash`. Files for Compose double each `$` in it. */
const HTPASSWD = /^([^:]+):(\$[^:\s,]+)(:.*)?$/;

function parseHtpasswdFields(text: string): ImportFields | string {
  const [, username, hash, more] = HTPASSWD.exec(text) ?? [];
  if (hash === undefined) return "it is not a username and a hash";
  if (more !== undefined) return "a third field, such as one-time codes, cannot be imported";
  return new Map([
    ["username", username],
    ["passwordhash", hash.replaceAll("$$", "$")],
  ]);
}

/** @param read Returns the fields of a line, or the reason why it has none. */
function* parseLines(
  lines: Iterable<string>,
  read: (line: string) => ImportFields | string,
): Iterable<ImportLine> {
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield { line: number, fields: read(line.trim()) };
  }
}

function* parseCsvLines(texts: Iterable<string>, mapField: FieldMapping): Iterable<ImportLine> {
  let columns: readonly string[] | undefined;
  for (const { line, fields, problem } of parseCsv(texts)) {
    const isBlank = problem === undefined && fields.length === 1 && fields[0]?.trim() === "";
    if (isBlank) continue;
    if (columns === undefined)
      columns = requireColumns(problem === undefined ? fields.map(mapField) : []);
    else yield { line, fields: problem ?? parseCsvFields(fields, columns) };
  }
}

/** Returns the name by which the import knows a field. */
type FieldMapping = (name: string) => string;

function requireColumns(columns: readonly string[]): readonly string[] {
  if (new Set(columns).size < columns.length) {
    throw new Fault("import_header", "the first line names a column twice");
  }
  if (["username", "passwordhash"].every((name) => columns.includes(name))) return columns;
  throw new Fault(
    "import_header",
    "the first line must name the columns username and password_hash, separated by commas; --username-from names another for the username",
  );
}

function parseCsvFields(
  fields: readonly string[],
  columns: readonly string[],
): ImportFields | string {
  if (fields.length === columns.length)
    return new Map(columns.map((name, at) => [name, fields[at]]));
  return `it has ${formatCount(fields.length, "field")} instead of ${columns.length}`;
}

/**
 * Parses a JSON line. It omits the parser's message, which quotes the text and could show a hash.
 */
function parseJsonFields(text: string, mapField: FieldMapping): ImportFields | string {
  const value = parseJsonObject(text);
  if (value === undefined) return "it is not a JSON object";
  const entries = Object.entries(value).map(
    ([name, fieldValue]) => [mapField(name), fieldValue] as const,
  );
  const fields = new Map(entries);
  return fields.size === entries.length ? fields : "it has a field twice";
}
