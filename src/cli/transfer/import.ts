import { createReadStream, existsSync, fstatSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, Fault, messageOf, Unavailable } from "../../core/fault.ts";
import {
  type ImportLine,
  type ImportOutcome,
  importUsers,
} from "../../core/transfer/import-users.ts";
import { makeDataDir } from "../../gate/files/data-dir.ts";
import { type OpenStore, openStore } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { chosen } from "../../gate/settings/value-kinds.ts";
import { openStaging } from "../../stores/import-staging.ts";
import { type Command, FAILURE, SUCCESS } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";
import { amounts } from "./amounts.ts";
import { unreadable } from "./files.ts";
import { type ImportFormat, importFormats, importLines } from "./import-lines.ts";
import { type ProgressDisplay, progressDisplay } from "./progress.ts";

const STANDARD_INPUT = "-";
const READ_AT_ONCE = 256 * 1024;

export const importCommand: Command = {
  name: "import",
  summary: "Adds users, or log records, from a CSV or JSON lines file: all of them or none.",
  operands: [{ name: "file", need: "required", completes: "file" }],
  options: [
    { name: "dry-run", about: "looks for lines that would be refused, and changes nothing" },
    { name: "skip-bad", about: "imports the other lines where some are refused" },
    {
      name: "format",
      value: "format",
      about: "csv or json, where it cannot be told by the content",
      completes: importFormats,
    },
  ],
  settings: STORE_SETTINGS,

  async run(settings, options, terminal) {
    const file = String(options.file);
    const input = openInput(file);
    const format = chosen(importFormats, options.format);
    const display = progressDisplay(process.stderr, () => performance.now());
    const database = databaseAt(settings);
    const staging = openStaging();
    try {
      const outcome = await importUsers(
        {
          lines: linesIn(input, format, display),
          staging,
          existing: await database.existing(),
          target: database.opened,
          clock: { now: () => Date.now() },
          refuse(line, reason) {
            display.end();
            terminal.complain(`line ${line}: ${reason}`);
          },
          progress: display.show,
        },
        {
          badLines: options["skip-bad"] === true ? "skip" : "refuse-all",
          how: options["dry-run"] === true ? "look-only" : "import",
        },
      );
      display.end();
      return report(outcome, file, terminal);
    } catch (error) {
      display.end();
      throw failed(error);
    } finally {
      staging.close();
      await database.close();
    }
  },
};

interface Database {
  /** `undefined` where there is none, and nothing is made. */
  existing(): Promise<OpenStore | undefined>;
  /** Makes it where there is none. */
  opened(): Promise<OpenStore>;
  close(): Promise<void>;
}

/** Made only once there is something to put into it: a bad file leaves nothing behind. */
function databaseAt(settings: Settings): Database {
  let store: OpenStore | undefined;
  return {
    async existing() {
      try {
        store ??= await openStore(settings, "refuse");
      } catch (error) {
        if (codeOf(error) !== "database_missing" || isForeign(settings)) throw error;
      }
      return store;
    },
    async opened() {
      if (store === undefined && settings.databaseUrl === undefined) {
        await makeDataDir(settings.dataDir);
      }
      store ??= await openStore(settings, "create");
      return store;
    },
    close: async () => store?.close(),
  };
}

/** A file without tables of Latchkey, but not an empty one, belongs to something else. */
const isForeign = ({ databaseUrl, databaseFile }: Settings): boolean =>
  databaseUrl === undefined && existsSync(databaseFile) && statSync(databaseFile).size > 0;

function linesIn(
  input: number,
  format: ImportFormat | undefined,
  display: ProgressDisplay,
): AsyncIterable<readonly ImportLine[]> {
  const info = fstatSync(input);
  const total = info.isFile() ? info.size : undefined;
  return importLines(chunksIn(input, total, display), format);
}

function openInput(given: string): number {
  if (given === STANDARD_INPUT) return 0;
  const file = resolve(given);
  const problem = unreadable(file);
  if (problem !== undefined) throw new Fault("file_unreadable", problem);
  return openSync(file, "r");
}

/** Of a pipe nobody knows how long it is: there is nothing to show. */
async function* chunksIn(
  fd: number,
  total: number | undefined,
  display: ProgressDisplay,
): AsyncIterable<Uint8Array> {
  let done = 0;
  const stream = createReadStream("", { fd, autoClose: fd !== 0, highWaterMark: READ_AT_ONCE });
  for await (const chunk of stream) {
    yield chunk;
    done += chunk.length;
    if (total !== undefined) display.show({ step: "reading", bytes: { done, total } });
  }
}

const nameOf = (file: string): string => (file === STANDARD_INPUT ? "standard input" : file);

function report(outcome: ImportOutcome, file: string, terminal: Terminal): number {
  const { kind, refused } = outcome;
  const lines = `${refused} ${refused === 1 ? "line" : "lines"}`;
  const others = refused === 0 ? "" : `; ${lines} refused`;
  switch (kind) {
    case "nothing":
      terminal.complain(`there is nothing to import in ${nameOf(file)}`);
      return FAILURE;
    case "refused":
      terminal.complain(`nothing was imported: ${lines} refused (--skip-bad imports the others)`);
      return FAILURE;
    case "would-import":
      terminal.print(`Would import ${amounts(outcome)}${others}`);
      break;
    case "imported":
      terminal.print(`Imported ${amounts(outcome)}${others}`);
      break;
  }
  return refused === 0 ? SUCCESS : FAILURE;
}

function failed(error: unknown): Fault {
  if (error instanceof Unavailable) {
    // Its answer may have got lost, and then all of it is there.
    const again = "the same command imports all of it, or says that it is there";
    return new Fault(error.code, `the import stopped: ${error.message}; ${again}`, {
      cause: error,
    });
  }
  const code = codeOf(error) ?? "import_failed";
  return new Fault(code, `nothing was imported: ${messageOf(error)}`, { cause: error });
}
