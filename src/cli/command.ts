import type { Settings, SettingsReading } from "../gate/settings/settings.ts";
import type { ValueKind } from "../gate/settings/values.ts";
import type { Terminal } from "./terminal.ts";

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
