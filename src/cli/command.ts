import { once } from "node:events";
import type { Settings, SettingsReading } from "../gate/settings/settings.ts";
import type { ValueKind } from "../gate/settings/values.ts";
import { toPrintable } from "../lib/files/printable.ts";

/** An option of one command. Settings are options of every command that reads any. */
export interface CommandOption {
  readonly name: string;
  /** The placeholder for the value in the help; an option without it is a switch. */
  readonly value?: string;
  readonly about: string;
  /** What a shell offers as its value. Of a list of words, other values are refused. */
  readonly completes?: ValueKind;
  /** It may be given several times; its value is a list. */
  readonly repeats?: true;
}

/** An argument after the command's name, by its position. */
export interface Operand {
  readonly name: string;
  readonly need: "required" | "optional";
  readonly completes?: ValueKind;
}

/** By the name of the option or operand. */
export type OptionValues = Readonly<Record<string, OptionValue>>;
type OptionValue = string | boolean | readonly string[] | undefined;

export interface Command {
  /** Sentences that the help shows after the summary. */
  readonly details?: string;
  readonly operands?: readonly Operand[];
  readonly options?: readonly CommandOption[];
  /** The settings that change what the command does, for its help. Without any, it reads none. */
  readonly settings: readonly string[];
  readonly examples: readonly string[];
  /** It runs with invalid settings too, and reports their problems itself. */
  readonly reportsSettings?: true;
  /** Returns the exit code. */
  run(
    settings: Settings,
    options: OptionValues,
    terminal: Terminal,
    reading: SettingsReading,
  ): Promise<number>;
}

/** A command in the table of commands. */
export interface CommandEntry {
  readonly name: string;
  readonly group: string;
  /** Without a full stop. */
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** The hidden command that the completion scripts call with the words before the cursor. */
export const COMPLETE = "__complete";

/** Wrong usage: one line on standard error, exit code 2. */
export class UsageError extends Error {}

export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USAGE = 2;

type Stream = { readonly isTTY?: boolean; readonly fd?: number };

/** What commands use of the process. Only `main.ts` names `process`; tests pass their own streams. */
export interface Process {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & Stream;
  readonly stdout: Output;
  readonly stderr: Output;
  on(signal: "SIGTERM" | "SIGINT" | "SIGHUP", listener: (signal: string) => void): unknown;
  /** Ends the process at once, whatever is still in flight. */
  exit(code: number): void;
}

type Output = NodeJS.WritableStream & Stream & { readonly columns?: number };

/** On a terminal, SIGHUP means that it was closed. */
export const isOnTerminal = ({ stdin, stdout }: Process): boolean =>
  stdin.isTTY === true || stdout.isTTY === true;

/** Resolves with the first stop signal. The second one ends the process at once. */
export function waitForSignal(system: Process): Promise<string> {
  return new Promise((resolve) => {
    // Not counted: shell and kernel both send it.
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

  /** Shows how far long work is, on one line of a terminal that the next output replaces. */
  showProgress(text: string): void {
    const { stderr } = this.system;
    const now = performance.now();
    const isRecent = this.#drawnAt !== undefined && now - this.#drawnAt < REDRAW_EVERY_MS;
    if (stderr.isTTY !== true || isRecent) return;
    this.#drawnAt = now;
    // One column stays free: some terminals wrap a full line.
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

  /** For long output: waits for a slow reader instead of filling the memory. */
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

/** `1 user`, `2 users`. */
export const formatCount = (
  count: number,
  singular: string,
  plural: string = `${singular}s`,
): string => `${count} ${count === 1 ? singular : plural}`;
