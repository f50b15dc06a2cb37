import { getSystemErrorMessage } from "node:util";
import { codeOf, messageOf } from "../core/base/fault.ts";
import { readSettings } from "../gate/settings/settings.ts";
import { nearestOf } from "../gate/settings/suggestions.ts";
import { settings as allSettings } from "../gate/settings/table.ts";
import { version } from "../gate/version.ts";
import { type CommandEntry, UsageError } from "./command.ts";
import { commands, separateCommands } from "./commands.ts";
import { COMPLETE, complete, findCommand } from "./complete.ts";
import { helpOfCommand, helpOfCommands } from "./help.ts";
import { FAILURE, type Ports, SUCCESS, Terminal, WRONG_USAGE } from "./terminal.ts";
import { parseUsage } from "./usage.ts";

/** Runs one command line and returns its exit code. */
export async function latchkey(args: readonly string[], ports: Ports): Promise<number> {
  const terminal = new Terminal(ports);
  ports.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // `latchkey log | head`: a reader that closes the pipe early is not a failure.
    if (codeOf(error) === "EPIPE") return ports.exit(SUCCESS);
    // The terminal was closed. The gate still stops as it should, on SIGHUP.
    if (codeOf(error) === "EIO" && ports.stdout.isTTY === true) return;
    terminal.complain(`cannot write the output: ${systemReasonOf(error)}`);
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

const systemReasonOf = (error: NodeJS.ErrnoException): string =>
  error.errno === undefined ? messageOf(error) : getSystemErrorMessage(error.errno);

const isHelp = (word: string | undefined): boolean =>
  word !== undefined && ["--help", "-h", "help"].includes(word);

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  const columns = terminal.ports.stdout.columns;
  if (name === undefined) return showOnError(helpOfCommands(commands, columns), terminal);
  if (name === COMPLETE) {
    await terminal.printAll(await complete(commands, rest));
    return SUCCESS;
  }
  if (["--version", "-v", "version"].includes(name)) return terminal.succeed(version());
  if (name === "help" && rest.length > 0) return run([...rest, "--help"], terminal);
  if (isHelp(name)) return terminal.succeed(helpOfCommands(commands, columns));
  const found = findCommand(commands, args);
  if (found !== undefined) return runCommand(found.entry, found.rest, terminal);
  const { words, family } = findFamily(args);
  if (words.length === 0) throw unknownCommand(name, commands, "");
  const [begun, next] = [words.join(" "), args[words.length]];
  if (isHelp(next)) return terminal.succeed(helpOfCommands(family, columns, begun));
  if (next === undefined || next.startsWith("-")) {
    return showOnError(helpOfCommands(family, columns, begun), terminal);
  }
  throw unknownCommand(`${begun} ${next}`, family, ` ${begun}`);
}

/** The longest beginning of the arguments that names of commands begin with, and these commands. */
function findFamily(args: readonly string[]) {
  const words: string[] = [];
  let family = commands;
  for (const word of args) {
    const begun = `${[...words, word].join(" ")} `;
    const narrower = family.filter(({ name }) => name.startsWith(begun));
    if (narrower.length === 0) break;
    words.push(word);
    family = narrower;
  }
  return { words, family };
}

/** The help in place of a missing command. A script that forgets the command fails. */
function showOnError(text: string, { ports }: Terminal): number {
  ports.stderr.write(`${text}\n`);
  return WRONG_USAGE;
}

function unknownCommand(
  given: string,
  among: readonly CommandEntry[],
  helpFor: string,
): UsageError {
  const separate = separateCommands.get(given);
  if (separate !== undefined)
    return new UsageError(`"${given}" is a separate package: run ${separate}`);
  const names = among.flatMap(({ name }) => [name, name.split(" ")[0] ?? ""]);
  const meant = nearestOf(names, given);
  const hint = meant === undefined ? "." : `. Did you mean "${meant}"?`;
  return new UsageError(`unknown command "${given}"${hint} See latchkey${helpFor} --help`);
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
    allSettings.map(({ name, flag }) => [name, textOf(values[flag])] as const),
  );
  const reading = readSettings({
    flags,
    envFile: textOf(values["env-file"]),
    // Invalid settings do not stop a command that reads none.
    env: command.settings.length === 0 ? {} : env,
  });
  if ("examine" in command) return command.examine(reading, values, terminal);
  if (reading.problems.length > 0) {
    for (const problem of reading.problems) terminal.complain(problem.text);
    return WRONG_USAGE;
  }
  for (const warning of reading.warnings) terminal.complain(warning);
  return command.run(reading.settings, values, terminal);
}

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;
