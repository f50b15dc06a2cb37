import { settings as allSettings, type Setting } from "../gate/settings/setting-names.ts";
import type { Command, CommandOption, Operand } from "./command.ts";

const HELP: CommandOption = { name: "help", about: "shows this" };

const ENV_FILE: CommandOption = {
  name: "env-file",
  value: "file",
  about: "reads settings from a file; the environment wins over it",
  completes: "file",
};

/** Options of every command, or of every one that reads settings. */
export const everywhereIn = ({ settings }: Pick<Command, "settings">): readonly CommandOption[] =>
  settings.length === 0 ? [HELP] : [ENV_FILE, HELP];

/** All that the help of a command lists, settings that can be flags among them. */
export function optionsOf(
  command: Pick<Command, "options" | "settings">,
): readonly CommandOption[] {
  const flags = allSettings
    .filter(({ name, flag }) => flag !== "none" && command.settings.includes(name))
    .map(({ flag, about, completes }) => ({ name: flag, value: "value", about, completes }));
  return [...command.options, ...flags, ...everywhereIn(command)];
}

export function helpOf(command: Command): string {
  const own = [...command.options, ...everywhereIn(command)].map(
    (option) => [flagOf(option), option.about] as const,
  );
  const listed = allSettings.filter(({ name }) => command.settings.includes(name));
  return [
    `Usage: latchkey ${[command.name, ...(command.operands ?? []).map(operandText)].join(" ")} [options]`,
    "",
    command.summary,
    "",
    "Options:",
    ...columns(own),
    ...(listed.length === 0
      ? []
      : ["", "Settings, from the environment, an env file or flags:", ...listed.map(entryOf)]),
    ...(command.notes === undefined ? [] : ["", ...command.notes]),
  ].join("\n");
}

/** Rows of two cells, the second ones below each other. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`);
}

/** Beside the long names of settings, there would be no room for what has to be said of them. */
function entryOf({ name, flag, about, takes, fallback }: Setting): string {
  const names = flag === "none" ? name : `${name}, --${flag}`;
  return `  ${names} (default: ${fallback})\n      ${takes}: ${about}`;
}

function flagOf({ name, value }: CommandOption): string {
  const flag = name === "help" ? "-h, --help" : `--${name}`;
  return value === undefined ? flag : `${flag} <${value}>`;
}

export const operandText = ({ name, need }: Operand): string =>
  need === "required" ? name.toUpperCase() : `[${name.toUpperCase()}]`;
