import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type ImportOutcome, importUsers } from "../../core/transfer/import-users.ts";
import { openIfExists, openStore } from "../../gate/open-store.ts";
import { chosen } from "../../gate/settings/values.ts";
import { nameDatabase, STORE_SETTINGS } from "../accounts.ts";
import { type Command, counted, FAILURE, SUCCESS, type Terminal } from "../command.ts";
import { importFormats, importLines } from "./import-lines.ts";
import { requireReadable, transferFault } from "./transfer.ts";

const STANDARD_INPUT = "-";

export const command: Command = {
  details: "Imports all lines or none. The file - is standard input.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    { name: "dry-run", about: "report lines that would be refused, and change nothing" },
    { name: "keys", about: "also import keys, which may have been revoked since the export" },
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
    const pieces = await piecesOf(file, terminal);
    const format = chosen(importFormats, options.format);
    const from = options["username-from"];
    const usernameFrom = typeof from === "string" ? from : undefined;
    let outcome: ImportOutcome;
    try {
      await using existing = await openIfExists(settings);
      await using created = new AsyncDisposableStack();
      outcome = await importUsers(
        {
          lines: importLines(pieces, format, usernameFrom),
          existing: existing?.transfer,
          // Created only to write, so that an invalid file leaves no database.
          target: async () =>
            (existing ?? created.use(await openStore(settings, "create"))).transfer,
          clock: { now: () => Date.now() },
          passed: (users, all) => terminal.progress(`importing: ${users} of ${all} users`),
          refuse: (line, reason) => terminal.complain(`line ${line}: ${reason}`),
          warn: (line, reason) => terminal.complain(`warning for line ${line}: ${reason}`),
        },
        {
          badLines: options["skip-bad"] === true ? "skip" : "refuse-all",
          how: options["dry-run"] === true ? "dry-run" : "import",
          keys: options.keys === true ? "import" : "leave-out",
        },
      );
    } catch (error) {
      throw transferFault("import", error);
    }
    const code = report(outcome, file, terminal);
    if (outcome.kind === "imported") nameDatabase(settings, terminal);
    return code;
  },
};

async function piecesOf(given: string, terminal: Terminal): Promise<Iterable<Buffer>> {
  if (given === STANDARD_INPUT) return [await buffer(terminal.ports.stdin)];
  const file = resolve(given);
  requireReadable(file);
  // A pipe can be empty for now.
  if (!statSync(file).isFile()) return [await readFile(file)];
  return readPieces(file, (read, size) =>
    terminal.progress(`reading: ${megabytes(read)} of ${megabytes(size)} MB`),
  );
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

const PIECE_BYTES = 1_024 * 1_024;

function* readPieces(file: string, passed: (read: number, size: number) => void): Iterable<Buffer> {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    // Used again for each piece: the reader has made a text of it by then.
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let done = 0; ; ) {
      const read = readSync(descriptor, piece);
      if (read === 0) return;
      done += read;
      passed(done, Math.max(size, done));
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}

function report(outcome: ImportOutcome, file: string, terminal: Terminal): number {
  const { kind, refused, users, keysLeftOut } = outcome;
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
  if (keysLeftOut > 0)
    terminal.complain(`left out ${counted(keysLeftOut, "key")} (--keys imports them as well)`);
  return refused === 0 ? SUCCESS : FAILURE;
}
