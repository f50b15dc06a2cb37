import { settings as allSettings } from "../server/setting-names.ts";
import type { Command, CommandOption, Operand } from "./command.ts";

/** Options of every command. */
export const everywhere: readonly CommandOption[] = [
  {
    name: "env-file",
    value: "file",
    about: "reads settings from a file; the environment wins over it",
    completes: "file",
  },
  { name: "help", about: "shows this" },
];

/** All that the help of a command lists, settings that can be flags among them. */
export function optionsOf(
  command: Pick<Command, "options" | "settings">,
): readonly CommandOption[] {
  const flags = allSettings
    .filter(({ name, flag }) => flag !== "none" && command.settings.includes(name))
    .map(({ flag, about, completes }) => ({ name: flag, value: "value", about, completes }));
  return [...command.options, ...flags, ...everywhere];
}

export function helpOf(command: Command): string {
  const own = [...command.options, ...everywhere].map((option) =>
    row(flagOf(option), option.about),
  );
  const listed = allSettings.filter(({ name }) => command.settings.includes(name));
  const settings = listed.map(({ name, flag, about, fallback }) =>
    row(flag === "none" ? name : `${name}, --${flag}`, `${about} (default: ${fallback})`),
  );
  return [
    `Usage: latchkey ${[command.name, ...(command.operands ?? []).map(operandText)].join(" ")} [options]`,
    "",
    command.summary,
    "",
    "Options:",
    ...own,
    ...(settings.length === 0
      ? []
      : ["", "Settings, from the environment, an env file or flags:", ...settings]),
    ...(command.notes === undefined ? [] : ["", ...command.notes]),
  ].join("\n");
}

function flagOf({ name, value }: CommandOption): string {
  const flag = name === "help" ? "-h, --help" : `--${name}`;
  return value === undefined ? flag : `${flag} <${value}>`;
}

const row = (left: string, right: string): string => `  ${left.padEnd(48)} ${right}`;

export const operandText = ({ name, need }: Operand): string =>
  need === "required" ? name.toUpperCase() : `[${name.toUpperCase()}]`;
