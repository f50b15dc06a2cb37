import { parseArgs } from "node:util";
import { nearestOf } from "../gate/settings/suggestions.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { chosen, oneOf } from "../gate/settings/value-kinds.ts";
import { hasPassword } from "../stores/postgres/url.ts";
import type { Command, CommandOption, Operand, OptionValues } from "./command.ts";
import { commonOptions, operandText } from "./help.ts";

/** What the arguments after a command's name mean. */
type Usage =
  | { readonly kind: "right"; readonly values: OptionValues }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

type ArgumentType = "string" | "boolean";

interface GivenOption {
  readonly name: string;
  /** As typed, with its dashes. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Does not use the strict mode of `parseArgs`, whose messages are for programmers. */
export function usageOf(name: string, command: Command, args: readonly string[]): Usage {
  const types = typesOf(command);
  const options = Object.fromEntries([...types].map(([name, type]) => [name, { type }]));
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
    if (token.name === "help" && args[token.index] === token.rawName) return { kind: "help" };
    const problem = optionProblem(token, types);
    if (problem === undefined) values[token.name] = token.value ?? true;
    else problems.push(problem);
  }
  // In a group of short options such as -xh, an unknown letter is reported first.
  if (values.help === true && problems.length === 0) return { kind: "help" };
  const { operands = [] } = command;
  for (const [at, operand] of operands.entries()) values[operand.name] = words[at];
  const problem = problems[0] ?? operandsProblem(name, operands, words);
  if (problem !== undefined) {
    return { kind: "wrong", problem: `${problem} See latchkey ${name} --help` };
  }
  const invalid = [
    ...command.options.map((option) => valueProblem(`--${option.name}`, option, values)),
    ...operands.map((operand) => valueProblem(name, operand, values)),
  ].find((one) => one !== undefined);
  return invalid === undefined ? { kind: "right", values } : { kind: "wrong", problem: invalid };
}

/** By option name. A command that reads no setting takes none as a flag. */
function typesOf(command: Command): ReadonlyMap<string, ArgumentType> {
  const flags = command.settings.length === 0 ? [] : allSettings.map(({ flag }) => flag);
  return new Map([
    ...flags.filter((flag) => flag !== "none").map((flag) => [flag, "string"] as const),
    ...[...command.options, ...commonOptions(command)].map(
      ({ name, value }) => [name, value === undefined ? "boolean" : "string"] as const,
    ),
  ]);
}

/** A sentence with its full stop. */
function optionProblem(
  { name, rawName, value, inlineValue }: GivenOption,
  types: ReadonlyMap<string, ArgumentType>,
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

function valueProblem(
  what: string,
  { name, completes = "free" }: CommandOption | Operand,
  values: OptionValues,
): string | undefined {
  const given = values[name];
  if (typeof completes === "string" || given === undefined) return undefined;
  return chosen(completes, given) === undefined ? `${what} takes ${oneOf(completes)}` : undefined;
}
