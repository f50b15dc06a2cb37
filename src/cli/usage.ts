import { parseArgs } from "node:util";
import { hasPassword } from "../db/postgres/url.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { findChoice, formatChoices } from "../gate/settings/values.ts";
import { findNearest } from "../lib/find-nearest.ts";
import {
  type Command,
  type CommandOption,
  type Operand,
  type OptionValues,
  UsageError,
} from "./command.ts";
import { formatOperand, listCommandOptions, listSettingOptions } from "./help.ts";

type Token = ReturnType<typeof parseArgs<{ tokens: true; strict: false }>>["tokens"][number];
/** `rawName` contains the option as it was typed, with its dashes. */
type OptionToken = Extract<Token, { kind: "option" }>;

/**
 * Parses a command line into tokens. It avoids the strict mode, whose messages are for programmers.
 */
export function parseTokens(
  args: readonly string[],
  knownOptions: readonly CommandOption[],
): readonly Token[] {
  const options = knownOptions.map(({ name, value }) => {
    const type = value === undefined ? "boolean" : "string";
    return [name, { type, ...(name === "help" && { short: "h" }) }] as const;
  });
  const config = { strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ ...config, args: [...args], options: Object.fromEntries(options) }).tokens;
}

/**
 * Parses the values of a command's options and operands, or returns `help` if the user asks for
 * help.
 * @throws UsageError
 */
export function parseUsage(
  name: string,
  command: Command,
  args: readonly string[],
): OptionValues | "help" {
  const commandOptions = listCommandOptions(command);
  // A command that reads no settings accepts none as flags.
  const knownOptions =
    command.settings.length === 0
      ? commandOptions
      : [...commandOptions, ...listSettingOptions(allSettings)];
  const tokens = parseTokens(args, knownOptions);
  const optionTokens = tokens.filter((token) => token.kind === "option");
  // `-h` in a group of letters is ignored: `-phunter2` is a mistake, and its `h` does not ask for
  // help.
  const isHelp = ({ name: option, index, rawName }: OptionToken): boolean =>
    option === "help" && args[index] === rawName;
  if (optionTokens.some(isHelp)) return "help";

  const values: Record<string, OptionValues[string]> = {};
  const throwUsageError = (problem: string | undefined): void => {
    if (problem !== undefined) throw new UsageError(`${problem} See latchkey ${name} --help`);
  };
  for (const token of optionTokens) {
    const option = knownOptions.find((candidate) => candidate.name === token.name);
    const isAgain = Object.hasOwn(values, token.name) && option?.repeats !== true;
    throwUsageError(
      isAgain
        ? `${token.rawName} is given more than once.`
        : findOptionProblem(token, option, knownOptions),
    );
    const all = optionTokens.filter((candidate) => candidate.name === token.name);
    values[token.name] =
      option?.repeats === true ? all.map(({ value = "" }) => value) : (token.value ?? true);
  }
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const { operands = [] } = command;
  throwUsageError(findOperandsProblem(name, operands, words));
  for (const option of commandOptions) {
    const isEmpty = [values[option.name]].flat().includes("");
    if (isEmpty && option.acceptsEmpty === true) continue;
    if (isEmpty) throw new UsageError(`--${option.name} needs a value`);
    requireChoice(`--${option.name}`, option, values[option.name]);
  }
  for (const [at, operand] of operands.entries()) {
    values[operand.name] = words[at];
    requireChoice(name, operand, words[at]);
  }
  return values;
}

/** Returns the problem as a sentence with its full stop. */
function findOptionProblem(
  { name, rawName, value, inlineValue }: OptionToken,
  option: CommandOption | undefined,
  knownOptions: readonly CommandOption[],
): string | undefined {
  if (option === undefined) return explainUnknownOption(name, rawName, knownOptions);
  if (option.value === undefined) {
    return value === undefined ? undefined : `${rawName} takes no value.`;
  }
  if (value === undefined) return `${rawName} needs a value.`;
  if (hasPassword(value)) return explainPasswordProblem(name, rawName);
  if (inlineValue === true || !/^-./.test(value)) return undefined;
  return `${rawName} needs a value; if it begins with a dash, write ${rawName}=${value}.`;
}

function explainPasswordProblem(name: string, rawName: string): string {
  const setting = allSettings.find(({ flag }) => flag === name)?.name;
  const instead =
    setting === undefined
      ? `write the URL to a file and pass ${rawName}=@FILE`
      : `set ${setting} in the environment or in --env-file, or ${setting}_FILE`;
  return `${rawName} cannot have a password in its URL, because other users of the machine could read it: ${instead}; or pass the password in PGPASSWORD.`;
}

function explainUnknownOption(
  name: string,
  rawName: string,
  knownOptions: readonly CommandOption[],
): string {
  const secret = allSettings.find(
    (candidate) =>
      candidate.flag === "none" && candidate.name.toLowerCase().replaceAll("_", "-") === name,
  );
  if (secret !== undefined) {
    return `${secret.name} cannot be a flag, because other users of the machine could read it: use the environment or --env-file.`;
  }
  const names = knownOptions.map((option) => option.name);
  const suggestion = findNearest(names, name);
  return `unknown option ${rawName}.${suggestion === undefined ? "" : ` Did you mean --${suggestion}?`}`;
}

function findOperandsProblem(
  name: string,
  operands: readonly Operand[],
  words: readonly string[],
): string | undefined {
  const required = operands.filter(({ need }) => need === "required");
  if (words.length >= required.length && words.length <= operands.length) return undefined;
  return operands.length === 0
    ? `${name} takes no arguments, but got ${words[0]}.`
    : `${name} takes ${operands.map(formatOperand).join(" ")}.`;
}

function requireChoice(
  what: string,
  { completes = "free" }: Pick<Operand, "completes">,
  value: OptionValues[string],
): void {
  if (typeof completes === "string" || value === undefined) return;
  if (findChoice(completes, value) === undefined) {
    throw new UsageError(`${what} takes ${formatChoices(completes)}`);
  }
}
