#!/usr/bin/env -S node --
import { codeOf, messageOf } from "../core/fault.ts";
import { version } from "../server/version.ts";
import { FAILURE, runCommand, SUCCESS, UsageError, WRONG_USAGE } from "./command.ts";
import { type CommandEntry, commands } from "./commands.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name] = args;
  if (name === "--version") {
    terminal.print(version());
    return SUCCESS;
  }
  if (name === "--help" || name === "-h") {
    terminal.print(await help());
    return SUCCESS;
  }
  const entry = commands.find((one) => wordsOf(one).every((word, at) => word === args[at]));
  if (entry === undefined) {
    terminal.complain(`${whichCommand(args)}? See latchkey --help`);
    return WRONG_USAGE;
  }
  return runCommand(await entry.load(), args.slice(wordsOf(entry).length), terminal);
}

const wordsOf = ({ name }: CommandEntry): readonly string[] => name.split(" ");

function whichCommand([name, second]: readonly string[]): string {
  if (name === undefined) return "which command";
  const family = commands.filter((one) => one.name.startsWith(`${name} `));
  if (family.length === 0) return `there is no command ${name}`;
  const asked = second === undefined || second.startsWith("-") ? name : `${name} ${second}`;
  return `there is no command ${asked}: was ${family.map((one) => one.name).join(" or ")} meant`;
}

async function help(): Promise<string> {
  const loaded = await Promise.all(commands.map(({ load }) => load()));
  return [
    "Latchkey, the front door of a self-hosted web application",
    "",
    "Usage: latchkey <command> [options]",
    "",
    "Commands:",
    ...loaded.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`),
    "",
    "Options:",
    "  --version    shows the version",
    "  -h, --help   shows this, or after a command what it takes",
  ].join("\n");
}

const terminal = processTerminal();

/** A reader that has seen enough (`latchkey log | head`) is no failure. */
process.stdout.on("error", (error) => process.exit(codeOf(error) === "EPIPE" ? SUCCESS : FAILURE));

try {
  process.exitCode = await main(process.argv.slice(2), terminal);
} catch (error) {
  terminal.complain(messageOf(error));
  process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILURE;
}
