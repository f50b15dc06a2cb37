import { parseArgs } from "node:util";
import { nearestOf } from "../gate/settings/suggestions.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { chosen, oneOf } from "../gate/settings/values.ts";
import { hasPassword } from "../stores/postgres/url.ts";
import {
  type Command,
  type CommandOption,
  type Operand,
  type OptionValues,
  UsageError,
} from "./command.ts";
import { operandText, ownOptions } from "./help.ts";

/** By option name. */
type Types = ReadonlyMap<string, "string" | "boolean">;

interface GivenOption {
  readonly name: string;
  /** As typed, with its dashes. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/**
 * The values of a command's options and operands, or `help` if its help is asked for.
 * Does not use the strict mode of `parseArgs`, whose messages are for programmers.
 * @throws UsageError
 */
export function parseUsage(
  name: string,
  command: Command,
  args: readonly string[],
): OptionValues | "help" {
  const types = typesOf(command);
  const options = Object.fromEntries([...types].map(([option, type]) => [option, { type }]));
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean | undefined> = {};
  const words: string[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (token.name === "help" && args[token.index] === token.rawName) return "help";
    const problem = Object.hasOwn(values, token.name)
      ? `${token.rawName} is given more than once.`
      : optionProblem(token, types);
    if (problem === undefined) values[token.name] = token.value ?? true;
    else problems.push(problem);
  }
  // In a group of short options such as -xh, an unknown letter is reported first.
  if (values.help === true && problems.length === 0) return "help";
  const { operands = [] } = command;
  const problem = problems[0] ?? operandsProblem(name, operands, words);
  if (problem !== undefined) throw new UsageError(`${problem} See latchkey ${name} --help`);
  for (const [at, operand] of operands.entries()) values[operand.name] = words[at];
  for (const option of ownOptions(command)) {
    if (values[option.name] === "") throw new UsageError(`--${option.name} needs a value`);
    requireChoice(`--${option.name}`, option, values);
  }
  for (const operand of operands) requireChoice(name, operand, values);
  return values;
}

/** A command that reads no setting takes none as a flag. */
function typesOf(command: Command): Types {
  const flags = command.settings.length === 0 ? [] : allSettings.map(({ flag }) => flag);
  return new Map([
    ...flags.filter((flag) => flag !== "none").map((flag) => [flag, "string"] as const),
    ...ownOptions(command).map(
      ({ name, value }) => [name, value === undefined ? "boolean" : "string"] as const,
    ),
  ]);
}

/** A sentence with its full stop. */
function optionProblem(
  { name, rawName, value, inlineValue }: GivenOption,
  types: Types,
): string | undefined {
  const type = types.get(name);
  if (type === undefined) return unknownOption(name, rawName, [...types.keys()]);
  if (type === "boolean") return value === undefined ? undefined : `${rawName} takes no value.`;
  if (value === undefined) return `${rawName} needs a value.`;
  if (hasPassword(value)) return passwordProblem(name, rawName);
  if (inlineValue === true || !/^-./.test(value)) return undefined;
  const isOption = value === "--" || types.has(value.replace(/^--|=.*$/g, ""));
  return isOption
    ? `${rawName} needs a value.`
    : `${rawName} needs a value; if it begins with a dash, write ${rawName}=${value}.`;
}

function passwordProblem(name: string, rawName: string): string {
  const setting = allSettings.find(({ flag }) => flag === name)?.name;
  const instead =
    setting === undefined
      ? `write the URL to a file and pass ${rawName}=@FILE`
      : `set ${setting} in the environment or in --env-file, or ${setting}_FILE`;
  return `${rawName} cannot have a password in its URL, because other users of the machine could read it: ${instead}; or pass the password in PGPASSWORD.`;
}

function unknownOption(name: string, rawName: string, known: readonly string[]): string {
  const secret = allSettings.find(
    (one) => one.flag === "none" && one.name.toLowerCase().replaceAll("_", "-") === name,
  );
  if (secret !== undefined) {
    return `${secret.name} cannot be a flag, because other users of the machine could read it: use the environment or --env-file.`;
  }
  const meant = nearestOf(known, name);
  return `unknown option ${rawName}.${meant === undefined ? "" : ` Did you mean --${meant}?`}`;
}

function operandsProblem(
  name: string,
  operands: readonly Operand[],
  words: readonly string[],
): string | undefined {
  const required = operands.filter(({ need }) => need === "required");
  if (words.length >= required.length && words.length <= operands.length) return undefined;
  return operands.length === 0
    ? `${name} takes no arguments, but got ${words[0]}.`
    : `${name} takes ${operands.map(operandText).join(" ")}.`;
}

function requireChoice(
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
