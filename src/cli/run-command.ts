import { getSystemErrorMessage } from "node:util";
import { readSettings } from "../gate/settings/settings.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { getErrorCode, getErrorMessage } from "../lib/fault.ts";
import {
  type Command,
  type CommandTitle,
  FAILURE,
  type OptionValues,
  type Process,
  SUCCESS,
  Terminal,
  UsageError,
  WRONG_USAGE,
} from "./command.ts";
import { formatCommandHelp } from "./help.ts";
import { parseUsage } from "./usage.ts";

/** Runs work that uses the terminal, and reports why it fails. Resolves to the exit code. */
export async function runInTerminal(
  system: Process,
  work: (terminal: Terminal) => Promise<number>,
): Promise<number> {
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
    return await work(terminal);
  } catch (error) {
    terminal.complain(getErrorMessage(error));
    return error instanceof UsageError ? WRONG_USAGE : FAILURE;
  }
}

/** Runs a command with its arguments. Resolves to its exit code. */
export async function runCommand(
  title: CommandTitle,
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { env, stdout } = terminal.system;
  const values = parseUsage(title.name, command, args);
  if (values === "help") return terminal.succeed(formatCommandHelp(title, command, stdout.columns));
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
