import { parseArgs } from "node:util";
import { messageOf } from "../core/fault.ts";
import { settings as allSettings } from "../server/setting-names.ts";
import { slips } from "../server/setting-slips.ts";
import { readSettings, type Settings, type SettingsReading } from "../server/settings.ts";
import { chosen, oneOf, type ValueKind } from "../server/value-kinds.ts";
import { everywhere, helpOf, operandText } from "./help.ts";
import type { Terminal } from "./terminal.ts";

export const SUCCESS = 0;
export const FAILURE = 1;
export const WRONG_USAGE = 2;

/** An option that only this command has. Settings are options of every command. */
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
  /** Which settings the help lists: those that change what the command does. */
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
  const values = parse(command, args);
  if (values.help === true) {
    terminal.print(helpOf(command));
    return SUCCESS;
  }
  const envFile = values["env-file"];
  const flags = Object.fromEntries(
    allSettings.map(({ name, flag }) => [name, textOf(values[flag])] as const),
  );
  // A command without settings is not kept from its work by what is wrong with them.
  const env = command.settings.length === 0 ? { env: {} } : {};
  const reading = readSettings({ flags, envFile: textOf(envFile), ...env });
  if ("examine" in command) return command.examine(reading, values, terminal);
  if (reading.kind === "wrong") {
    for (const problem of reading.problems) terminal.complain(problem);
    return WRONG_USAGE;
  }
  for (const warning of reading.warnings) terminal.complain(warning);
  return command.run(reading.settings, values, terminal);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parse(command: Command, args: readonly string[]): OptionValues {
  const flags = allSettings.filter(({ flag }) => flag !== "none");
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {
    ...Object.fromEntries(flags.map(({ flag }) => [flag, { type: "string" }])),
  };
  for (const { name, value } of [...command.options, ...everywhere]) {
    options[name] = { type: value === undefined ? "boolean" : "string" };
  }
  options.help = { type: "boolean", short: "h" };
  try {
    const { operands = [] } = command;
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: operands.length > 0,
    });
    if (values.help === true) return { help: true };
    const given = { ...valuesIn(values), ...operandsIn(command, positionals) };
    for (const option of command.options) refuseOther(`--${option.name}`, option, given);
    for (const operand of operands) refuseOther(command.name, operand, given);
    return given;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(usageProblem(error, command, Object.keys(options)));
  }
}

function valuesIn(values: Readonly<Record<string, unknown>>): OptionValues {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | boolean] =>
        typeof entry[1] === "string" || typeof entry[1] === "boolean",
    ),
  );
}

function operandsIn({ name, operands = [] }: Command, given: readonly string[]): OptionValues {
  const required = operands.filter(({ need }) => need === "required");
  if (given.length < required.length || given.length > operands.length) {
    const takes = operands.map(operandText).join(" ");
    throw new UsageError(`${name} takes ${takes}: see latchkey ${name} --help`);
  }
  return Object.fromEntries(operands.map((operand, at) => [operand.name, given[at]]));
}

function refuseOther(
  what: string,
  { name, completes = "free" }: CommandOption | Operand,
  values: OptionValues,
): void {
  const given = values[name];
  if (typeof completes === "string" || given === undefined) return;
  if (chosen(completes, given) === undefined) {
    throw new UsageError(`${what} takes ${oneOf(completes)}`);
  }
}

function usageProblem(error: unknown, command: Command, known: readonly string[]): string {
  const help = `see latchkey ${command.name} --help`;
  const unknown = /^Unknown option '--([^']+)'/.exec(messageOf(error))?.[1];
  if (unknown === undefined) return `${messageOf(error).split(/\. |\n/, 1)[0]}: ${help}`;
  const secret = allSettings.find(
    ({ name, flag }) => flag === "none" && name.toLowerCase().replaceAll("_", "-") === unknown,
  );
  if (secret !== undefined) {
    return `${secret.name} cannot be a flag, since everybody on the machine could read it: use the environment or --env-file`;
  }
  const meant = known.find((name) => slips(name, unknown) <= 2);
  return `there is no option --${unknown}${meant === undefined ? "" : `: was --${meant} meant?`}: ${help}`;
}
