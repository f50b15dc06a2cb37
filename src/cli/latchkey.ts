import { getVersion } from "../gate/version.ts";
import { findNearest } from "../lib/find-nearest.ts";
import {
  COMPLETE,
  type Process,
  SUCCESS,
  type Terminal,
  UsageError,
  WRONG_USAGE,
} from "./command.ts";
import { findCommand } from "./commands.ts";
import { complete } from "./complete.ts";
import { formatCommandList } from "./help.ts";
import { runCommand, runInTerminal } from "./run-command.ts";

/** Runs one command line. Resolves to its exit code. */
export const runLatchkey = (args: readonly string[], system: Process): Promise<number> =>
  runInTerminal(system, (terminal) => run(args, terminal));

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...others] = args;
  if (name === COMPLETE) {
    await terminal.printAll(await complete(others));
    return SUCCESS;
  }
  if (["--version", "-v", "version"].includes(name)) return terminal.succeed(getVersion());
  if (name === "help" && others.length > 0) return run([...others, "--help"], terminal);
  const { words, family, entry, rest } = findCommand(args);
  if (entry !== undefined) {
    const { command } = await entry.load();
    return runCommand(entry, command, rest, terminal);
  }
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
