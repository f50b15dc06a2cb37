import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { settleSecret } from "../../gate/make-secret-file.ts";
import { openExistingStore, openStore } from "../../gate/open-store.ts";
import { toNotifyOptions } from "../../gate/settings/settings.ts";
import { findChoice } from "../../gate/settings/values.ts";
import { Fault } from "../../lib/fault.ts";
import { createNoticeDeliveries } from "../../mail/operator-notices.ts";
import { createCommandSeals, nameDatabase, STORE_SETTINGS } from "../accounts.ts";
import { type Command, FAILURE, formatCount, SUCCESS, type Terminal } from "../command.ts";
import { importFormats, parseImportLines } from "./import-lines.ts";
import { type ImportOutcome, importUsers } from "./import-users.ts";
import { createTransferFault, formatWritten, requireReadable } from "./transfer.ts";

const STANDARD_INPUT = "-";

export const command: Command = {
  details:
    "Imports nothing if it would refuse a line. Writes 1,000 users at a time. The file - is standard input.",
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
    using source = await openSource(file, terminal);
    const format = findChoice(importFormats, options.format);
    const from = options["username-from"];
    const usernameFrom = typeof from === "string" ? from : undefined;
    const clock = { now: () => Date.now() };
    const isDryRun = options["dry-run"] === true;
    const seals = createCommandSeals(isDryRun ? settings : await settleSecret(settings));
    const wanted = new Set<string>(toNotifyOptions(settings)?.events);
    let outcome: ImportOutcome;
    let written = 0;
    try {
      await using existing = await openExistingStore(settings);
      await using created = new AsyncDisposableStack();
      outcome = await importUsers(
        {
          readLines(purpose) {
            const pieces = source.readPieces((read, size) => {
              if (purpose === "check")
                terminal.showProgress(`checking: ${toMegabytes(read)} of ${toMegabytes(size)} MB`);
            });
            return parseImportLines(pieces, format, usernameFrom);
          },
          existing: existing?.transfer,
          // The store is created only for writing, so that an invalid file leaves no database.
          openTarget: async () =>
            (existing ?? created.use(await openStore(settings, "create"))).transfer,
          clock,
          createDeliveries: (entries) =>
            createNoticeDeliveries({ clock, seals, events: wanted }, entries),
          onProgress(users, all) {
            written = users;
            terminal.showProgress(`importing: ${users} of ${all} users`);
          },
          refuse: (line, reason) => terminal.complain(`line ${line}: ${reason}`),
          warn: (line, reason) => terminal.complain(`warning for line ${line}: ${reason}`),
        },
        {
          badLines: options["skip-bad"] === true ? "skip" : "refuse-all",
          how: isDryRun ? "dry-run" : "import",
          keys: options.keys === true ? "import" : "leave-out",
        },
      );
    } catch (error) {
      throw createTransferFault("import", error, written);
    }
    const code = report(outcome, file, terminal);
    if (outcome.kind === "imported" || outcome.kind === "stopped") nameDatabase(settings, terminal);
    return code;
  },
};

/** Provides a file that is read twice: once to check all lines, and once to write their users. */
interface Source extends Disposable {
  readonly readPieces: (onPiece: PieceListener) => Iterable<Buffer>;
}

/** Receives the number of bytes read so far, and the size of the file. */
type PieceListener = (read: number, size: number) => void;

async function openSource(path: string, { system }: Terminal): Promise<Source> {
  if (path === STANDARD_INPUT) return createMemorySource(await buffer(system.stdin));
  const file = resolve(path);
  requireReadable(file);
  // A pipe can be empty for now, and cannot be read twice.
  if (!statSync(file).isFile()) return createMemorySource(await readFile(file));
  return openFile(file);
}

const createMemorySource = (content: Buffer): Source => ({
  readPieces: () => [content],
  [Symbol.dispose]() {},
});

const toMegabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

const PIECE_BYTES = 64 * 1_024;

/** Opens a file once for both reads, so that another file cannot take its name between them. */
function openFile(file: string): Source {
  const descriptor = openSync(file, "r");
  const opened = fstatSync(descriptor);
  return {
    *readPieces(onPiece) {
      // The buffer is reused for each piece, because the reader has decoded the previous piece by
      // then.
      const piece = Buffer.alloc(PIECE_BYTES);
      for (let done = 0; ; ) {
        const { size, mtimeMs } = fstatSync(descriptor);
        if (size !== opened.size || mtimeMs !== opened.mtimeMs)
          throw new Fault("import_changed", `${file} is being changed`);
        const read = readSync(descriptor, piece, { position: done });
        if (read === 0) return;
        done += read;
        onPiece(done, size);
        yield piece.subarray(0, read);
      }
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

function report(outcome: ImportOutcome, file: string, terminal: Terminal): number {
  const { kind, refused, keysLeftOut } = outcome;
  const amounts = formatWritten(outcome);
  const lines = formatCount(refused, "line");
  if (kind === "nothing") {
    const name = file === STANDARD_INPUT ? "standard input" : file;
    return terminal.fail(`there is nothing to import in ${name}`);
  }
  if (kind === "refused") {
    return terminal.fail(`nothing was imported: ${lines} refused (--skip-bad imports the others)`);
  }
  if (kind === "stopped") {
    return terminal.fail(
      `${amounts} imported, then ${lines} refused, which other commands have added meanwhile (--skip-bad imports the others)`,
    );
  }
  const done = kind === "imported" ? "Imported" : "Would import";
  terminal.print(`${done} ${amounts}${refused === 0 ? "" : `; ${lines} refused`}`);
  if (keysLeftOut > 0)
    terminal.complain(`left out ${formatCount(keysLeftOut, "key")} (--keys imports them as well)`);
  return refused === 0 ? SUCCESS : FAILURE;
}
