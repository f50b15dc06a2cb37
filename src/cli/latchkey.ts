import { getSystemErrorMessage } from "node:util";
import { codeOf, messageOf } from "../core/base/fault.ts";
import { nearestOf } from "../core/base/nearest.ts";
import { readSettings } from "../gate/settings/settings.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { version } from "../gate/version.ts";
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
import { helpOfCommand, helpOfCommands } from "./help.ts";
import { parseUsage } from "./usage.ts";

/** Runs one command line and returns its exit code. */
export async function latchkey(args: readonly string[], ports: Process): Promise<number> {
  const terminal = new Terminal(ports);
  ports.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `latchkey log | head`: a reader that closes the pipe early is not a failure.
    if (codeOf(error) === "EPIPE") return ports.exit(SUCCESS);
    // The terminal was closed. The gate still stops as it should, on SIGHUP.
    if (codeOf(error) === "EIO" && ports.stdout.isTTY === true) return;
    const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
    terminal.complain(`cannot write the output: ${reason}`);
    ports.exit(FAILURE);
  });
  ports.stderr.on("error", () => {});
  try {
    return await run(args, terminal);
  } catch (error) {
    terminal.complain(messageOf(error));
    return error instanceof UsageError ? WRONG_USAGE : FAILURE;
  }
}

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...others] = args;
  if (name === COMPLETE) {
    await terminal.printAll(await complete(others));
    return SUCCESS;
  }
  if (["--version", "-v", "version"].includes(name)) return terminal.succeed(version());
  if (name === "help" && others.length > 0) return run([...others, "--help"], terminal);
  const { words, family, entry, rest } = findCommand(args);
  if (entry !== undefined) return runCommand(entry, rest, terminal);
  const [next] = rest;
  const help = helpOfCommands(family, terminal.ports.stdout.columns, words);
  if (["--help", "-h", "help"].includes(next ?? "")) return terminal.succeed(help);
  if (next === undefined || (words !== "" && next.startsWith("-"))) {
    // In place of a missing command. A script that forgets the command fails.
    terminal.ports.stderr.write(`${help}\n`);
    return WRONG_USAGE;
  }
  const given = `${words} ${next}`.trim();
  const names = family.flatMap((one) => [one.name, one.name.split(" ")[0] ?? ""]);
  const meant = nearestOf(names, given);
  const hint = meant === undefined ? "." : `. Did you mean "${meant}"?`;
  const see = words === "" ? "latchkey" : `latchkey ${words}`;
  throw new UsageError(`unknown command "${given}"${hint} See ${see} --help`);
}

async function runCommand(
  entry: CommandEntry,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { env, stdout } = terminal.ports;
  const { command } = await entry.load();
  const values = parseUsage(entry.name, command, args);
  if (values === "help") return terminal.succeed(helpOfCommand(entry, command, stdout.columns));
  const flags = Object.fromEntries(
    allSettings.map(({ name, flag }) => [name, givenValue(values[flag])] as const),
  );
  const reading = readSettings({
    flags,
    envFile: givenValue(values["env-file"]),
    // Invalid settings do not stop a command that reads none.
    env: command.settings.length === 0 ? {} : env,
  });
  if (command.reportsSettings !== true) {
    for (const problem of reading.problems) terminal.complain(problem.text);
    if (reading.problems.length > 0) return WRONG_USAGE;
    for (const warning of reading.warnings) terminal.complain(warning);
  }
  return command.run(reading.settings, values, terminal, reading);
}

const givenValue = (value: OptionValues[string]): string | undefined =>
  typeof value === "string" ? value : undefined;
