import { settings as allSettings } from "../gate/settings/setting-names.ts";
import { readSettings, type Settings, type SettingsReading } from "../gate/settings/settings.ts";
import type { ValueKind } from "../gate/settings/value-kinds.ts";
import { helpOf } from "./help.ts";
import type { Terminal } from "./terminal.ts";
import { usageOf } from "./usage.ts";

export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USAGE = 2;

/** An option that only this command has. Settings are options of every command that reads any. */
export interface CommandOption {
  readonly name: string;
  /** What stands for the value in the help; an option without it is a switch. */
  readonly value?: string;
  readonly about: string;
  /** What a shell can offer as its value. Where these are words, others are refused. */
  readonly completes?: ValueKind;
}

/** What has to stand after the command's name, in this order. */
export interface Operand {
  readonly name: string;
  readonly need: "required" | "optional";
  /** Likewise. */
  readonly completes?: ValueKind;
}

/** By the name of the option or operand. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly operands?: readonly Operand[];
  readonly options: readonly CommandOption[];
  /** Which settings the help lists: those that change what the command does. Without any, it reads none. */
  readonly settings: readonly string[];
  /** Lines at the end of the help. */
  readonly notes?: readonly string[];
}

interface SettledCommand extends CommandShape {
  /** Answers with the exit code. */
  run(settings: Settings, options: OptionValues, terminal: Terminal): Promise<number>;
}

/** One that runs with wrong settings, too, and says itself what is wrong with them. */
interface ExaminingCommand extends CommandShape {
  examine(reading: SettingsReading, options: OptionValues, terminal: Terminal): Promise<number>;
}

export type Command = SettledCommand | ExaminingCommand;

/** Wrong usage: one clear line, exit code 2. */
export class UsageError extends Error {}

export async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const usage = usageOf(command, args);
  if (usage.kind === "wrong") throw new UsageError(usage.problem);
  if (usage.kind === "help") {
    terminal.print(helpOf(command));
    return SUCCESS;
  }
  const { values } = usage;
  const envFile = values["env-file"];
  const flags = Object.fromEntries(
    allSettings.map(({ name, flag }) => [name, textOf(values[flag])] as const),
  );
  // A command without settings is not kept from its work by what is wrong with them.
  const env = command.settings.length === 0 ? { env: {} } : {};
  const reading = readSettings({ flags, envFile: textOf(envFile), ...env });
  if ("examine" in command) return command.examine(reading, values, terminal);
  if (reading.kind === "wrong") {
    for (const problem of reading.problems) terminal.complain(problem.text);
    return WRONG_USAGE;
  }
  for (const warning of reading.warnings) terminal.complain(warning);
  return command.run(reading.settings, values, terminal);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
