import { getSystemErrorMessage } from "node:util";
import { codeOf, messageOf } from "../core/fault.ts";
import { nearestOf } from "../gate/settings/setting-slips.ts";
import { version } from "../gate/version.ts";
import { FAILURE, runCommand, SUCCESS, UsageError, WRONG_USAGE } from "./command.ts";
import { type CommandEntry, commands } from "./commands.ts";
import { columns } from "./help.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError("which command? See latchkey --help");
  if (["--version", "-v", "version"].includes(name)) {
    terminal.print(version());
    return SUCCESS;
  }
  if (name === "help" && rest.length > 0) return run([...rest, "--help"], terminal);
  if (isHelp(name)) {
    terminal.print(await help());
    return SUCCESS;
  }
  if (name === "attack") {
    throw new UsageError("the attacks are a separate package; run npx latchkey-attack URL");
  }
  const entry = commands.find((one) => wordsOf(one).every((word, at) => word === args[at]));
  if (entry !== undefined) {
    return runCommand(await entry.load(), args.slice(wordsOf(entry).length), terminal);
  }
  const family = commands.filter((one) => one.name.startsWith(`${name} `));
  if (family.length === 0) throw new UsageError(noCommand(name, commands.map(firstWord), ""));
  return runFamily(name, family, rest, terminal);
}

const isHelp = (word: string): boolean => ["--help", "-h", "help"].includes(word);
const wordsOf = ({ name }: CommandEntry): readonly string[] => name.split(" ");
const firstWord = (entry: CommandEntry): string => wordsOf(entry)[0] ?? "";

/** What begins with a word that is no command by itself. */
async function runFamily(
  name: string,
  family: readonly CommandEntry[],
  [second]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (second !== undefined && isHelp(second)) {
    terminal.print(await helpOfFamily(name, family));
    return SUCCESS;
  }
  if (second === undefined || second.startsWith("-")) {
    process.stderr.write(`${await helpOfFamily(name, family)}\n`);
    return WRONG_USAGE;
  }
  const known = family.map((one) => one.name);
  throw new UsageError(noCommand(`${name} ${second}`, known, ` ${name}`));
}

function noCommand(given: string, known: readonly string[], helpOf: string): string {
  const meant = nearestOf(known, given);
  const question = meant === undefined ? "" : ` Was ${meant} meant?`;
  return `there is no command ${given}.${question} See latchkey${helpOf} --help`;
}

async function help(): Promise<string> {
  return [
    "Latchkey, the front door of a self-hosted web application",
    "",
    "Usage: latchkey <command> [options]",
    "",
    "Commands:",
    ...(await summaries(commands)),
    "",
    "Options:",
    "  -v, --version   shows the version",
    "  -h, --help      shows this, or after a command what it takes",
  ].join("\n");
}

async function helpOfFamily(name: string, family: readonly CommandEntry[]): Promise<string> {
  return [
    `Usage: latchkey ${name} <command> [options]`,
    "",
    "Commands:",
    ...(await summaries(family)),
    "",
    "With --help after it, each shows what it takes.",
  ].join("\n");
}

async function summaries(entries: readonly CommandEntry[]): Promise<readonly string[]> {
  const loaded = await Promise.all(entries.map(({ load }) => load()));
  return columns(loaded.map(({ name, summary }) => [name, summary]));
}

/** The whole command line: what to do, and what came of it as the exit code. */
export async function latchkey(args: readonly string[]): Promise<void> {
  const terminal = processTerminal();
  process.stdout.on("error", (error) => {
    // A reader that has seen enough (`latchkey log | head`) is no failure.
    if (codeOf(error) === "EPIPE") process.exit(SUCCESS);
    terminal.complain(`cannot write: ${reasonOf(error)}`);
    process.exit(FAILURE);
  });
  try {
    process.exitCode = await run(args, terminal);
  } catch (error) {
    terminal.complain(messageOf(error));
    process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILURE;
  }
}

const reasonOf = (error: NodeJS.ErrnoException): string =>
  error.errno === undefined ? messageOf(error) : getSystemErrorMessage(error.errno);
