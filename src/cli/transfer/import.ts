import { createReadStream, fstatSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { Fault } from "../../core/base/fault.ts";
import { type ImportOutcome, importUsers } from "../../core/transfer/import-users.ts";
import { openIfExists, openStore } from "../../gate/open-store.ts";
import { chosen } from "../../gate/settings/values.ts";
import { openStaging } from "../../stores/sqlite/staging.ts";
import type { Command } from "../command.ts";
import { counted, FAILURE, type Ports, SUCCESS, type Terminal } from "../terminal.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
import { transferFault } from "./fault.ts";
import { readProblem } from "./files.ts";
import { importFormats, importLines } from "./import-lines.ts";
import { type ProgressDisplay, progressDisplay } from "./progress.ts";

const STANDARD_INPUT = "-";
const CHUNK_BYTES = 256 * 1024;

export const command: Command = {
  details: "Imports all lines or none. The file - is standard input.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    { name: "dry-run", about: "report lines that would be refused, and change nothing" },
    { name: "skip-bad", about: "import the other lines if some are refused" },
    {
      name: "format",
      value: "format",
      about: "csv or json, if the content does not show it",
      completes: importFormats,
    },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey import --dry-run users.csv", "latchkey import --skip-bad users.csv"],

  async run(settings, options, terminal) {
    const file = String(options.file);
    const input = openInput(file, terminal.ports);
    const format = chosen(importFormats, options.format);
    const display = progressDisplay(terminal.ports.stderr, () => performance.now());
    const staging = openStaging();
    try {
      await using existing = await openIfExists(settings);
      await using created = new AsyncDisposableStack();
      const outcome = await importUsers(
        {
          lines: importLines(shown(input, display), format),
          staging,
          existing: existing?.transfer,
          // Created only to write, so that an invalid file leaves no database.
          target: async () =>
            (existing ?? created.use(await openStore(settings, "create"))).transfer,
          clock: { now: () => Date.now() },
          refuse(line, reason) {
            display.end();
            terminal.complain(`line ${line}: ${reason}`);
          },
          progress: display.show,
        },
        {
          badLines: options["skip-bad"] === true ? "skip" : "refuse-all",
          how: options["dry-run"] === true ? "dry-run" : "import",
        },
      );
      display.end();
      return report(outcome, file, terminal);
    } catch (error) {
      display.end();
      throw transferFault("import", error);
    } finally {
      staging.close();
    }
  },
};

/** Where the bytes come from. The length of a pipe is unknown, and shows no progress. */
interface Input {
  readonly chunks: AsyncIterable<Uint8Array | string>;
  readonly total: number | undefined;
}

function openInput(given: string, { stdin }: Ports): Input {
  if (given === STANDARD_INPUT) return { chunks: stdin, total: lengthOf(stdin.fd) };
  const file = resolve(given);
  const problem = readProblem(file);
  if (problem !== undefined) throw new Fault("file_unreadable", problem);
  const fd = openSync(file, "r");
  return {
    chunks: createReadStream("", { fd, highWaterMark: CHUNK_BYTES }),
    total: lengthOf(fd),
  };
}

function lengthOf(fd: number | undefined): number | undefined {
  const info = fd === undefined ? undefined : fstatSync(fd);
  return info?.isFile() === true ? info.size : undefined;
}

async function* shown(
  { chunks, total }: Input,
  display: ProgressDisplay,
): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    yield bytes;
    done += bytes.length;
    if (total !== undefined) display.show({ step: "reading", bytes: { done, total } });
  }
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
