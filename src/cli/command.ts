import { once } from "node:events";
import type { Settings, SettingsReading } from "../gate/settings/settings.ts";
import type { ValueKind } from "../gate/settings/values.ts";
import { toPrintable } from "../lib/files/printable.ts";

/**
 * Describes an option of one command. A command that reads settings also accepts them as options.
 */
export interface CommandOption {
  readonly name: string;
  /** The help shows this placeholder for the value. An option without a placeholder is a switch. */
  readonly value?: string;
  readonly about: string;
  /** Defines the values that a shell offers. If it lists words, other values are refused. */
  readonly completes?: ValueKind;
  /** The option may be given several times, and its value is a list. */
  readonly repeats?: true;
  /** The value may be empty. Other options refuse an empty value, which is often a mistake. */
  readonly acceptsEmpty?: true;
}

/** Describes an argument after the command's name, by its position. */
export interface Operand {
  readonly name: string;
  readonly need: "required" | "optional";
  readonly completes?: ValueKind;
}

/** The keys are the names of the options and operands. */
export type OptionValues = Readonly<Record<string, OptionValue>>;
type OptionValue = string | boolean | readonly string[] | undefined;

export interface Command {
  /** Contains sentences that the help shows after the summary. */
  readonly details?: string;
  readonly operands?: readonly Operand[];
  readonly options?: readonly CommandOption[];
  /**
   * Lists the settings that change what the command does, for its help. If the list is empty, the
   * command reads no settings.
   */
  readonly settings: readonly string[];
  readonly examples: readonly string[];
  /** The command also runs with invalid settings, and reports their problems itself. */
  readonly reportsSettings?: true;
  /** Runs the command. Resolves to the exit code. */
  run(
    settings: Settings,
    options: OptionValues,
    terminal: Terminal,
    reading: SettingsReading,
  ): Promise<number>;
}

/** Names a command in its help. */
export interface CommandTitle {
  readonly name: string;
  /** The summary has no full stop. */
  readonly summary: string;
}

/** The gate runs this command without the table of commands. */
export const SERVE: CommandTitle = { name: "serve", summary: "Start the gate" };

/** Describes a command in the table of commands. */
export interface CommandEntry extends CommandTitle {
  readonly group: string;
  load(): Promise<{ readonly command: Command }>;
}

/** Completion scripts call this hidden command with the words before the cursor. */
export const COMPLETE = "__complete";

/** Reports wrong usage with one line on standard error and exit code 2. */
export class UsageError extends Error {}

export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USAGE = 2;

type Stream = { readonly isTTY?: boolean; readonly fd?: number };

/**
 * Contains what commands use of the process. Only `main.ts` uses `process`, and tests pass their
 * own streams.
 */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & Stream;
  readonly stdout: Output;
  readonly stderr: Output;
  on(signal: "SIGTERM" | "SIGINT" | "SIGHUP", listener: (signal: string) => void): unknown;
  /** Ends the process at once, although work may still be in progress. */
  exit(code: number): void;
}

type Output = NodeJS.WritableStream & Stream & { readonly columns?: number };

/** Returns whether a terminal is attached. SIGHUP then means that the terminal was closed. */
export const isOnTerminal = ({ stdin, stdout }: Process): boolean =>
  stdin.isTTY === true || stdout.isTTY === true;

/** Resolves with the first stop signal. The second one ends the process at once. */
export function waitForSignal(system: Process): Promise<string> {
  return new Promise((resolve) => {
    // SIGHUP is not counted, because the shell and the kernel both send it.
    if (isOnTerminal(system)) system.on("SIGHUP", resolve);
    let seen = 0;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      system.on(signal, () => {
        seen += 1;
        if (seen > 1) system.exit(FAILURE);
        resolve(signal);
      });
    }
  });
}

const REDRAW_EVERY_MS = 100;
const CLEAR_REST = "\u001b[K";

/** Prints results on standard output, and everything else on standard error. */
export class Terminal {
  readonly system: Process;
  #drawnAt: number | undefined;

  constructor(system: Process) {
    this.system = system;
  }

  /**
   * Shows the progress of long work on one line of a terminal. The next output replaces that line.
   */
  showProgress(text: string): void {
    const { stderr } = this.system;
    const now = performance.now();
    const isRecent = this.#drawnAt !== undefined && now - this.#drawnAt < REDRAW_EVERY_MS;
    if (stderr.isTTY !== true || isRecent) return;
    this.#drawnAt = now;
    // One column stays free, because some terminals wrap a full line.
    stderr.write(`\r${text.slice(0, (stderr.columns || 80) - 1)}${CLEAR_REST}`);
  }

  #endProgress(): void {
    if (this.#drawnAt !== undefined) this.system.stderr.write(`\r${CLEAR_REST}`);
    this.#drawnAt = undefined;
  }

  print(text: string): void {
    this.#endProgress();
    this.system.stdout.write(`${text}\n`);
  }

  /** Prints long output. It waits for a slow reader instead of filling the memory. */
  async printAll(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const text = lines.map((line) => `${line}\n`).join("");
    if (!this.system.stdout.write(text)) await once(this.system.stdout, "drain");
  }

  complain(text: string): void {
    this.#endProgress();
    this.system.stderr.write(`latchkey: ${toPrintable(text)}\n`);
  }

  /** Prints the one line about what the command has done, and returns its exit code. */
  succeed(text: string): number {
    this.print(text);
    return SUCCESS;
  }

  /** Prints why the command has failed, and returns its exit code. */
  fail(text: string): number {
    this.complain(text);
    return FAILURE;
  }
}

/** Formats a count such as `1 user` or `2 users`. */
export const formatCount = (
  count: number,
  singular: string,
  plural: string = `${singular}s`,
): string => `${count} ${count === 1 ? singular : plural}`;
