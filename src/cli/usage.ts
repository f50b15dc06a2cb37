import { parseArgs } from "node:util";
import { nearestOf } from "../core/base/nearest.ts";
import { hasPassword } from "../db/postgres/url.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { chosen, oneOf } from "../gate/settings/values.ts";
import {
  type Command,
  type CommandOption,
  type Operand,
  type OptionValues,
  UsageError,
} from "./command.ts";
import { operandText, ownOptions, settingOptions } from "./help.ts";

type Token = ReturnType<typeof parseArgs<{ tokens: true; strict: false }>>["tokens"][number];
/** Its `rawName` is as typed, with its dashes. */
type GivenOption = Extract<Token, { kind: "option" }>;

/** The parts of a command line. Not in the strict mode, whose messages are for programmers. */
export function tokensOf(
  args: readonly string[],
  known: readonly CommandOption[],
): readonly Token[] {
  const options = known.map(({ name, value }) => {
    const type = value === undefined ? "boolean" : "string";
    return [name, { type, ...(name === "help" && { short: "h" }) }] as const;
  });
  const config = { strict: false, allowPositionals: true, tokens: true } as const;
  return parseArgs({ ...config, args: [...args], options: Object.fromEntries(options) }).tokens;
}

/**
 * The values of a command's options and operands, or `help` if its help is asked for.
 * @throws UsageError
 */
export function parseUsage(
  name: string,
  command: Command,
  args: readonly string[],
): OptionValues | "help" {
  const own = ownOptions(command);
  // A command that reads no setting takes none as a flag.
  const known = command.settings.length === 0 ? own : [...own, ...settingOptions(allSettings)];
  const tokens = tokensOf(args, known);
  const given = tokens.filter((token) => token.kind === "option");
  // Not in a group of letters: `-phunter2` is a mistake, and its `h` asks for nothing.
  const isHelp = ({ name: option, index, rawName }: GivenOption): boolean =>
    option === "help" && args[index] === rawName;
  if (given.some(isHelp)) return "help";

  const values: Record<string, OptionValues[string]> = {};
  const refuseFor = (problem: string | undefined): void => {
    if (problem !== undefined) throw new UsageError(`${problem} See latchkey ${name} --help`);
  };
  for (const token of given) {
    const option = known.find((one) => one.name === token.name);
    const isAgain = Object.hasOwn(values, token.name) && option?.repeats !== true;
    refuseFor(
      isAgain ? `${token.rawName} is given more than once.` : optionProblem(token, option, known),
    );
    const all = given.filter((one) => one.name === token.name);
    values[token.name] =
      option?.repeats === true ? all.map(({ value = "" }) => value) : (token.value ?? true);
  }
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const { operands = [] } = command;
  refuseFor(operandsProblem(name, operands, words));
  for (const option of own) {
    if (values[option.name] === "") throw new UsageError(`--${option.name} needs a value`);
    requireChoice(`--${option.name}`, option, values[option.name]);
  }
  for (const [at, operand] of operands.entries()) {
    values[operand.name] = words[at];
    requireChoice(name, operand, words[at]);
  }
  return values;
}

/** A sentence with its full stop. */
function optionProblem(
  { name, rawName, value, inlineValue }: GivenOption,
  option: CommandOption | undefined,
  known: readonly CommandOption[],
): string | undefined {
  if (option === undefined) return unknownOption(name, rawName, known);
  if (option.value === undefined) {
    return value === undefined ? undefined : `${rawName} takes no value.`;
  }
  if (value === undefined) return `${rawName} needs a value.`;
  if (hasPassword(value)) return passwordProblem(name, rawName);
  if (inlineValue === true || !/^-./.test(value)) return undefined;
  return `${rawName} needs a value; if it begins with a dash, write ${rawName}=${value}.`;
}

function passwordProblem(name: string, rawName: string): string {
  const setting = allSettings.find(({ flag }) => flag === name)?.name;
  const instead =
    setting === undefined
      ? `write the URL to a file and pass ${rawName}=@FILE`
      : `set ${setting} in the environment or in --env-file, or ${setting}_FILE`;
  return `${rawName} cannot have a password in its URL, because other users of the machine could read it: ${instead}; or pass the password in PGPASSWORD.`;
}

function unknownOption(name: string, rawName: string, known: readonly CommandOption[]): string {
  const secret = allSettings.find(
    (one) => one.flag === "none" && one.name.toLowerCase().replaceAll("_", "-") === name,
  );
  if (secret !== undefined) {
    return `${secret.name} cannot be a flag, because other users of the machine could read it: use the environment or --env-file.`;
  }
  const names = known.map((option) => option.name);
  const meant = nearestOf(names, name);
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
  { completes = "free" }: Pick<Operand, "completes">,
  given: OptionValues[string],
): void {
  if (typeof completes === "string" || given === undefined) return;
  if (chosen(completes, given) === undefined) {
    throw new UsageError(`${what} takes ${oneOf(completes)}`);
  }
}
