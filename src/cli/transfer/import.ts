import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { AnyFault } from "../../core/base/fault.ts";
import { objectIn } from "../../core/base/json.ts";
import { fieldName, type ImportFields } from "../../core/transfer/import-record.ts";
import {
  type ImportLine,
  type ImportOutcome,
  importUsers,
} from "../../core/transfer/import-users.ts";
import { openIfExists, openStore } from "../../gate/open-store.ts";
import { chosen } from "../../gate/settings/values.ts";
import { STORE_SETTINGS } from "../accounts.ts";
import { type Command, counted, FAILURE, SUCCESS, type Terminal } from "../command.ts";
import { csvRecords } from "./csv.ts";
import { requireReadable, transferFault } from "./transfer.ts";

const STANDARD_INPUT = "-";

const importFormats = ["csv", "json", "htpasswd"] as const;

export type ImportFormat = (typeof importFormats)[number];

export const command: Command = {
  details: "Imports all lines or none. The file - is standard input.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    { name: "dry-run", about: "report lines that would be refused, and change nothing" },
    { name: "skip-bad", about: "import the other lines if some are refused" },
    {
      name: "format",
      value: "format",
      about: "csv, json or htpasswd, if the content does not show it",
      completes: importFormats,
    },
    {
      name: "username-from",
      value: "field",
      about: "the field that becomes the username, such as email",
    },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey import --dry-run users.csv", "latchkey import --skip-bad users.csv"],

  async run(settings, options, terminal) {
    const file = String(options.file);
    const content = await contentOf(file, terminal.ports);
    const format = chosen(importFormats, options.format);
    const from = options["username-from"];
    const usernameFrom = typeof from === "string" ? from : undefined;
    let outcome: ImportOutcome;
    try {
      await using existing = await openIfExists(settings);
      await using created = new AsyncDisposableStack();
      outcome = await importUsers(
        {
          lines: importLines(content, format, usernameFrom),
          existing: existing?.transfer,
          // Created only to write, so that an invalid file leaves no database.
          target: async () =>
            (existing ?? created.use(await openStore(settings, "create"))).transfer,
          clock: { now: () => Date.now() },
          refuse: (line, reason) => terminal.complain(`line ${line}: ${reason}`),
        },
        {
          badLines: options["skip-bad"] === true ? "skip" : "refuse-all",
          how: options["dry-run"] === true ? "dry-run" : "import",
        },
      );
    } catch (error) {
      throw transferFault("import", error);
    }
    return report(outcome, file, terminal);
  },
};

function contentOf(given: string, { stdin }: Terminal["ports"]): Promise<Buffer> {
  if (given === STANDARD_INPUT) return buffer(stdin);
  const file = resolve(given);
  requireReadable(file);
  return readFile(file);
}

function report(outcome: ImportOutcome, file: string, terminal: Terminal): number {
  const { kind, refused, users } = outcome;
  const lines = counted(refused, "line");
  if (kind === "nothing") {
    const name = file === STANDARD_INPUT ? "standard input" : file;
    return terminal.fail(`there is nothing to import in ${name}`);
  }
  if (kind === "refused") {
    return terminal.fail(`nothing was imported: ${lines} refused (--skip-bad imports the others)`);
  }
  const done = kind === "imported" ? "Imported" : "Would import";
  terminal.print(`${done} ${counted(users, "user")}${refused === 0 ? "" : `; ${lines} refused`}`);
  return refused === 0 ? SUCCESS : FAILURE;
}

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
