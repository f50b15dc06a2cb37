import { parseArgs } from "node:util";
import { settings as allSettings } from "../gate/settings/setting-names.ts";
import { nearestOf } from "../gate/settings/setting-slips.ts";
import { chosen, oneOf } from "../gate/settings/value-kinds.ts";
import { hasPassword } from "../stores/postgres/url.ts";
import type { Command, CommandOption, Operand, OptionValues } from "./command.ts";
import { everywhereIn, operandText } from "./help.ts";

/** What stands after a command's name. */
export type Usage =
  | { readonly kind: "right"; readonly values: OptionValues }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

type ArgumentType = "string" | "boolean";

interface GivenOption {
  readonly name: string;
  /** As it was typed, dashes and all. */
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Not by Node's strict mode: what it says of a slip is for programmers. */
export function usageOf(command: Command, args: readonly string[]): Usage {
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
    const problem = optionProblem(command, token, types);
    if (problem === undefined) values[token.name] = token.value ?? true;
    else problems.push(problem);
  }
  // Among other letters after one dash, it may be part of what was meant otherwise.
  if (values.help === true && problems.length === 0) return { kind: "help" };
  const { operands = [] } = command;
  for (const [at, { name }] of operands.entries()) values[name] = words[at];
  const problem =
    problems[0] ??
    wordsProblem(command, words) ??
    [
      ...command.options.map((option) => valueProblem(`--${option.name}`, option, values)),
      ...operands.map((operand) => valueProblem(command.name, operand, values)),
    ].find((one) => one !== undefined);
  return problem === undefined ? { kind: "right", values } : { kind: "wrong", problem };
}

/** By the names of the options that there are. A command that reads no setting takes none. */
function typesOf(command: Command): ReadonlyMap<string, ArgumentType> {
  const flags = command.settings.length === 0 ? [] : allSettings.map(({ flag }) => flag);
  return new Map([
    ...flags.filter((flag) => flag !== "none").map((flag) => [flag, "string"] as const),
    ...[...command.options, ...everywhereIn(command)].map(
      ({ name, value }) => [name, value === undefined ? "boolean" : "string"] as const,
    ),
  ]);
}

const seeHelp = (problem: string, { name }: Command): string =>
  `${problem}${problem.endsWith("?") ? "" : "."} See latchkey ${name} --help`;

function optionProblem(
  command: Command,
  { name, rawName, value, inlineValue }: GivenOption,
  types: ReadonlyMap<string, ArgumentType>,
): string | undefined {
  const type = types.get(name);
  if (type === undefined) return unknownOption(command, name, rawName, [...types.keys()]);
  if (type === "boolean") {
    return value === undefined ? undefined : seeHelp(`${rawName} takes no value`, command);
  }
  if (value === undefined) return seeHelp(`${rawName} needs a value`, command);
  if (hasPassword(value)) return passwordProblem(name, rawName);
  if (inlineValue === true || !/^-./.test(value)) return undefined;
  const isOption = value === "--" || types.has(value.replace(/^--|=.*$/g, ""));
  const how = isOption ? "" : `; one that begins with a dash goes as ${rawName}=${value}`;
  return seeHelp(`${rawName} needs a value${how}`, command);
}

function passwordProblem(name: string, rawName: string): string {
  const setting = allSettings.find(({ flag }) => flag === name)?.name;
  const instead =
    setting === undefined
      ? `write the URL to a file and pass ${rawName}=@FILE`
      : `set ${setting} in the environment or in --env-file, or ${setting}_FILE`;
  return `${rawName} cannot have a password in its URL, since everybody on the machine could read it: ${instead}; or pass the password in PGPASSWORD`;
}

function unknownOption(
  command: Command,
  name: string,
  rawName: string,
  known: readonly string[],
): string {
  const secret = allSettings.find(
    (one) => one.flag === "none" && one.name.toLowerCase().replaceAll("_", "-") === name,
  );
  if (secret !== undefined) {
    return `${secret.name} cannot be a flag, since everybody on the machine could read it: use the environment or --env-file`;
  }
  const meant = nearestOf(known, name);
  const problem = `there is no option ${rawName}`;
  return seeHelp(meant === undefined ? problem : `${problem}. Was --${meant} meant?`, command);
}

function wordsProblem(command: Command, words: readonly string[]): string | undefined {
  const { name, operands = [] } = command;
  const required = operands.filter(({ need }) => need === "required");
  if (words.length >= required.length && words.length <= operands.length) return undefined;
  const problem =
    operands.length === 0
      ? `${name} takes no further words, such as ${words[0]}`
      : `${name} takes ${operands.map(operandText).join(" ")}`;
  return seeHelp(problem, command);
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
