import type { Setting } from "../gate/settings/entry.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import type { Command, CommandEntry, CommandOption, CommandTitle, Operand } from "./command.ts";

const HELP: CommandOption = { name: "help", about: "show this help" };

const ENV_FILE_OPTION: CommandOption = {
  name: "env-file",
  value: "file",
  about: "read settings from a file; the environment wins over it",
  completes: "file",
};

/**
 * Lists the options of a command, including the common ones. Only commands that read settings have
 * `--env-file`.
 */
export const listCommandOptions = ({
  options = [],
  settings,
}: Command): readonly CommandOption[] => [
  ...options,
  ...(settings.length === 0 ? [HELP] : [ENV_FILE_OPTION, HELP]),
];

/** Lists the settings that can be given as flags. */
export const listSettingOptions = (settings: readonly Setting[]): readonly CommandOption[] =>
  settings
    .filter(({ flag }) => flag !== "none")
    .map(({ flag, about, completes }) => ({ name: flag, value: "value", about, completes }));

const listCommandSettings = ({ settings }: Command): readonly Setting[] =>
  allSettings.filter(({ name }) => settings.includes(name));

/** Lists the options of a command, and the settings that it accepts as flags. */
export const listAllOptions = (command: Command): readonly CommandOption[] => [
  ...listCommandOptions(command),
  ...listSettingOptions(listCommandSettings(command)),
];

type Lines = readonly (readonly [left: string, right: string])[];

const GENERAL: Lines = [
  ["-h, --help", "show this help, or after a command the help of that command"],
  ["-v, --version", "show the version"],
];

/** Formats all commands in their groups, or one family, whose names begin with the same words. */
export function formatCommandList(
  commands: readonly CommandEntry[],
  columns: number | undefined,
  family: string,
): string {
  const isAll = family === "";
  const line = isAll ? "latchkey COMMAND" : `latchkey ${family} COMMAND`;
  const intro = ["Latchkey puts a sign-in in front of self-hosted web apps.", ""];
  const general = ["", "Options:", ...formatTable(GENERAL, columns, LEFT_WIDTH)];
  const toRows = (members: readonly CommandEntry[]): Lines =>
    members.map(({ name, summary }) => [name, summary]);
  return [
    ...(isAll ? intro : []),
    `Usage: ${line} [options]`,
    ...[...Map.groupBy(commands, ({ group }) => group)].flatMap(([group, members]) => [
      "",
      `${group}:`,
      ...formatTable(toRows(members), columns, LEFT_WIDTH),
    ]),
    ...(isAll ? general : []),
    "",
    ...wrapText(`For options and examples: ${line} --help`, columns),
  ].join("\n");
}

/** This width aligns the columns of all groups. */
const LEFT_WIDTH = "user codes off".length;

export function formatCommandHelp(
  { name, summary }: CommandTitle,
  command: Command,
  columns: number | undefined,
): string {
  const { details = "", operands = [], examples } = command;
  const listed = listCommandSettings(command);
  return [
    `Usage: latchkey ${[name, ...operands.map(formatOperand)].join(" ")} [options]`,
    "",
    ...wrapText(`${summary}. ${details}`.trim(), columns),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
    "",
    "Options:",
    ...formatTable(
      listCommandOptions(command).map((option) => [formatFlag(option), option.about]),
      columns,
    ),
    ...(listed.length === 0 ? [] : ["", "Settings (environment, env file or flag):"]),
    ...listed.flatMap((setting) => formatSetting(setting, columns)),
  ].join("\n");
}

/** Formats a setting. The names of settings are long, so the description is on separate lines. */
function formatSetting(setting: Setting, columns: number | undefined): readonly string[] {
  const { name, flag, about, takes, fallback } = setting;
  const names = flag === "none" ? name : `${name}, --${flag}`;
  return [
    `  ${names} (default: ${fallback})`,
    ...wrapText(`${takes}: ${about}`, columns, " ".repeat(6)),
  ];
}

function formatFlag({ name, value }: CommandOption): string {
  const flag = name === "help" ? "-h, --help" : `--${name}`;
  return value === undefined ? flag : `${flag} <${value}>`;
}

export const formatOperand = ({ name, need }: Operand): string =>
  need === "required" ? name.toUpperCase() : `[${name.toUpperCase()}]`;

/** Formats two columns. The second column is wrapped. */
function formatTable(rows: Lines, columns: number | undefined, minWidth = 0): readonly string[] {
  const width = Math.max(minWidth, ...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    const lines = wrapText(right, columns, " ".repeat(width + 5));
    return lines.map((line, at) => (at === 0 ? `  ${left.padEnd(width + 3)}${line.trim()}` : line));
  });
}

/** Applies where the width is unknown. Some terminals report 0. */
const DEFAULT_COLUMNS = 80;
const MIN_TEXT_COLUMNS = 20;

/** Wraps text into lines of whole words. A word that is longer than the width is not split. */
function wrapText(text: string, columns: number | undefined, indent = ""): readonly string[] {
  const width = Math.max((columns || DEFAULT_COLUMNS) - indent.length, MIN_TEXT_COLUMNS);
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => `${indent}${line}`);
}
