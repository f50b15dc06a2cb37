import { getSystemErrorMessage } from "node:util";
import { readSettings } from "../gate/settings/settings.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { getVersion } from "../gate/version.ts";
import { getErrorCode, getErrorMessage } from "../lib/fault.ts";
import { findNearest } from "../lib/find-nearest.ts";
import {
  COMPLETE,
  type CommandEntry,
  FAILURE,
  type OptionValues,
  type Process,
  SUCCESS,
  Terminal,
  UsageError,
  WRONG_USAGE,
} from "./command.ts";
import { findCommand } from "./commands.ts";
import { complete } from "./complete.ts";
import { formatCommandHelp, formatCommandList } from "./help.ts";
import { parseUsage } from "./usage.ts";

/** Runs one command line. Resolves to its exit code. */
export async function runLatchkey(args: readonly string[], system: Process): Promise<number> {
  const terminal = new Terminal(system);
  system.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early is not a failure (`latchkey log | head`).
    if (getErrorCode(error) === "EPIPE") return system.exit(SUCCESS);
    // The terminal was closed. The gate stops normally on SIGHUP.
    if (getErrorCode(error) === "EIO" && system.stdout.isTTY === true) return;
    const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
    terminal.complain(`cannot write the output: ${reason}`);
    system.exit(FAILURE);
  });
  system.stderr.on("error", () => {});
  try {
    return await run(args, terminal);
  } catch (error) {
    terminal.complain(getErrorMessage(error));
    return error instanceof UsageError ? WRONG_USAGE : FAILURE;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...others] = args;
  if (name === COMPLETE) {
    await terminal.printAll(await complete(others));
    return SUCCESS;
  }
  if (["--version", "-v", "version"].includes(name)) return terminal.succeed(getVersion());
  if (name === "help" && others.length > 0) return run([...others, "--help"], terminal);
  const { words, family, entry, rest } = findCommand(args);
  if (entry !== undefined) return runCommand(entry, rest, terminal);
  const [next] = rest;
  const help = formatCommandList(family, terminal.system.stdout.columns, words);
  if (["--help", "-h", "help"].includes(next ?? "")) return terminal.succeed(help);
  if (next === undefined || (words !== "" && next.startsWith("-"))) {
    // The help replaces a missing command. The exit code makes a script that forgets the command
    // fail.
    terminal.system.stderr.write(`${help}\n`);
    return WRONG_USAGE;
  }
  const commandText = `${words} ${next}`.trim();
  const names = family.flatMap((candidate) => [candidate.name, candidate.name.split(" ")[0] ?? ""]);
  const suggestion = findNearest(names, commandText);
  const hint = suggestion === undefined ? "." : `. Did you mean "${suggestion}"?`;
  const see = words === "" ? "latchkey" : `latchkey ${words}`;
  throw new UsageError(`unknown command "${commandText}"${hint} See ${see} --help`);
}

async function runCommand(
  entry: CommandEntry,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { env, stdout } = terminal.system;
  const { command } = await entry.load();
  const values = parseUsage(entry.name, command, args);
  if (values === "help") return terminal.succeed(formatCommandHelp(entry, command, stdout.columns));
  const flags = Object.fromEntries(
    allSettings.map(({ name, flag }) => [name, readText(values[flag])] as const),
  );
  const reading = readSettings({
    flags,
    envFile: readText(values["env-file"]),
    // Invalid settings do not stop a command that reads none.
    env: command.settings.length === 0 ? {} : env,
  });
  if (command.reportsSettings !== true) {
    for (const problem of reading.problems) terminal.complain(problem.message);
    if (reading.problems.length > 0) return WRONG_USAGE;
    for (const warning of reading.warnings) terminal.complain(warning);
  }
  return command.run(reading.settings, values, terminal, reading);
}

const readText = (value: OptionValues[string]): string | undefined =>
  typeof value === "string" ? value : undefined;
