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
import { HELP, operandText, ownOptions, settingOptions } from "./help.ts";

type Token = ReturnType<typeof parseArgs<{ tokens: true; strict: false }>>["tokens"][number];
/** Its `rawName` is as typed, with its dashes. */
type GivenOption = Extract<Token, { kind: "option" }>;

/** The parts of a command line. Not in the strict mode, whose messages are for programmers. */
export const tokensOf = (
  args: readonly string[],
  options: readonly CommandOption[],
): readonly Token[] =>
  parseArgs({
    args: [...args],
    options: Object.fromEntries(
      options.map(({ name, value }) => [
        name,
        {
          type: value === undefined ? ("boolean" as const) : ("string" as const),
          ...(name === HELP.name && { short: "h" }),
        },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;

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
    option === HELP.name && args[index] === rawName;
  if (given.some(isHelp)) return "help";
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const { operands = [] } = command;
  const optionOf = new Map(known.map((option) => [option.name, option]));
  const isAgain = (token: GivenOption): boolean =>
    optionOf.get(token.name)?.repeats !== true &&
    given.find((earlier) => earlier.name === token.name) !== token;
  const [problem] = [
    ...given.map((token) =>
      isAgain(token)
        ? `${token.rawName} is given more than once.`
        : optionProblem(token, optionOf.get(token.name), known),
    ),
    operandsProblem(name, operands, words),
  ].filter((one) => one !== undefined);
  if (problem !== undefined) throw new UsageError(`${problem} See latchkey ${name} --help`);
  const values: OptionValues = Object.fromEntries([
    ...[...Map.groupBy(given, (token) => token.name)].map(([option, all]) => [
      option,
      optionOf.get(option)?.repeats === true
        ? all.map(({ value }) => value)
        : (all[0]?.value ?? true),
    ]),
    ...operands.map((operand, at) => [operand.name, words[at]]),
  ]);
  for (const option of own) {
    if (values[option.name] === "") throw new UsageError(`--${option.name} needs a value`);
    requireChoice(`--${option.name}`, option, values);
  }
  for (const operand of operands) requireChoice(name, operand, values);
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
  const meant = nearestOf(
    known.map((option) => option.name),
    name,
  );
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
  { name, completes = "free" }: Pick<Operand, "name" | "completes">,
  values: OptionValues,
): void {
  const given = values[name];
  if (typeof completes === "string" || given === undefined) return;
  if (chosen(completes, given) === undefined) {
    throw new UsageError(`${what} takes ${oneOf(completes)}`);
  }
}
