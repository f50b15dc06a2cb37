import type { Setting } from "../gate/settings/entry.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import type { Command, CommandEntry, CommandOption, Operand } from "./command.ts";

const HELP: CommandOption = { name: "help", about: "show this help" };

const ENV_FILE_OPTION: CommandOption = {
  name: "env-file",
  value: "file",
  about: "read settings from a file; the environment wins over it",
  completes: "file",
};

/** The options of a command, with those of every command or of every one that reads settings. */
export const ownOptions = ({ options = [], settings }: Command): readonly CommandOption[] => [
  ...options,
  ...(settings.length === 0 ? [HELP] : [ENV_FILE_OPTION, HELP]),
];

/** The settings that can be given as flags. */
export const settingOptions = (of: readonly Setting[]): readonly CommandOption[] =>
  of
    .filter(({ flag }) => flag !== "none")
    .map(({ flag, about, completes }) => ({ name: flag, value: "value", about, completes }));

const listedSettings = ({ settings }: Command): readonly Setting[] =>
  allSettings.filter(({ name }) => settings.includes(name));

/** The options of a command, and the settings that it takes as flags. */
export const allOptions = (command: Command): readonly CommandOption[] => [
  ...ownOptions(command),
  ...settingOptions(listedSettings(command)),
];

type Lines = readonly (readonly [left: string, right: string])[];

const GENERAL: Lines = [
  ["-h, --help", "show this help, or after a command the help of that command"],
  ["-v, --version", "show the version"],
];

/** Commands in their groups: all, or a family, whose names begin with the same words. */
export function helpOfCommands(
  commands: readonly CommandEntry[],
  columns: number | undefined,
  family: string,
): string {
  const isAll = family === "";
  const line = isAll ? "latchkey COMMAND" : `latchkey ${family} COMMAND`;
  const intro = ["Latchkey puts a sign-in in front of self-hosted web apps.", ""];
  const general = ["", "Options:", ...table(GENERAL, columns, LEFT_WIDTH)];
  const rowsOf = (members: readonly CommandEntry[]): Lines =>
    members.map(({ name, summary }) => [name, summary]);
  return [
    ...(isAll ? intro : []),
    `Usage: ${line} [options]`,
    ...[...Map.groupBy(commands, ({ group }) => group)].flatMap(([group, members]) => [
      "",
      `${group}:`,
      ...table(rowsOf(members), columns, LEFT_WIDTH),
    ]),
    ...(isAll ? general : []),
    "",
    ...wrapped(`For options and examples: ${line} --help`, columns),
  ].join("\n");
}

/** Aligns the columns of all groups. */
const LEFT_WIDTH = "user codes off".length;

export function helpOfCommand(
  { name, summary }: CommandEntry,
  command: Command,
  columns: number | undefined,
): string {
  const { details = "", operands = [], examples } = command;
  const listed = listedSettings(command);
  return [
    `Usage: latchkey ${[name, ...operands.map(operandText)].join(" ")} [options]`,
    "",
    ...wrapped(`${summary}. ${details}`.trim(), columns),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
    "Options:",
    ...table(
      ownOptions(command).map((one) => [flagOf(one), one.about]),
      columns,
    ),
    ...(listed.length === 0 ? [] : ["", "Settings (environment, env file or flag):"]),
    ...listed.flatMap((setting) => settingLines(setting, columns)),
  ].join("\n");
}

/** The names of settings are long, so the description is on separate lines. */
function settingLines(setting: Setting, columns: number | undefined): readonly string[] {
  const { name, flag, about, takes, fallback } = setting;
  const names = flag === "none" ? name : `${name}, --${flag}`;
  return [
    `  ${names} (default: ${fallback})`,
    ...wrapped(`${takes}: ${about}`, columns, " ".repeat(6)),
  ];
}

function flagOf({ name, value }: CommandOption): string {
  const flag = name === "help" ? "-h, --help" : `--${name}`;
  return value === undefined ? flag : `${flag} <${value}>`;
}

export const operandText = ({ name, need }: Operand): string =>
  need === "required" ? name.toUpperCase() : `[${name.toUpperCase()}]`;

/** Two columns, the second one wrapped. */
function table(rows: Lines, columns: number | undefined, minWidth = 0): readonly string[] {
  const width = Math.max(minWidth, ...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    const lines = wrapped(right, columns, " ".repeat(width + 5));
    return lines.map((line, at) => (at === 0 ? `  ${left.padEnd(width + 3)}${line.trim()}` : line));
  });
}

/** Where the width is unknown. Some terminals report 0. */
const DEFAULT_COLUMNS = 80;
const MIN_TEXT_COLUMNS = 20;

/** Lines of whole words: a word that is longer than the width stays in one piece. */
function wrapped(text: string, columns: number | undefined, indent = ""): readonly string[] {
  const width = Math.max((columns || DEFAULT_COLUMNS) - indent.length, MIN_TEXT_COLUMNS);
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `${indent}${line}`);
}
