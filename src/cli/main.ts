#!/usr/bin/env -S node --
import { readFileSync } from "node:fs";
import { codeOf, messageOf } from "../core/fault.ts";
import { type Command, FAILURE, runCommand, SUCCESS, UsageError, WRONG_USAGE } from "./command.ts";
import { copyCommand } from "./copy.ts";
import { logCommand } from "./log.ts";
import { pagesEjectCommand } from "./pages-eject.ts";
import { secretCommand } from "./secret.ts";
import { serveCommand } from "./serve.ts";
import { setupLinkCommand } from "./setup-link.ts";
import { processTerminal, type Terminal } from "./terminal.ts";
import { userAddCommand } from "./user-add.ts";
import { userListCommand } from "./user-list.ts";
import { userPasswordCommand } from "./user-password.ts";
import { userRemoveCommand } from "./user-remove.ts";
import { userRenameCommand } from "./user-rename.ts";
import { userSignOutCommand } from "./user-sign-out.ts";

const commands: readonly Command[] = [
  serveCommand,
  logCommand,
  copyCommand,
  setupLinkCommand,
  pagesEjectCommand,
  secretCommand,
  userListCommand,
  userAddCommand,
  userPasswordCommand,
  userRenameCommand,
  userRemoveCommand,
  userSignOutCommand,
];

async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name] = args;
  if (name === "--version") {
    terminal.print(version());
    return SUCCESS;
  }
  if (name === "--help" || name === "-h") {
    terminal.print(help());
    return SUCCESS;
  }
  const command = commands.find((one) => wordsOf(one).every((word, at) => word === args[at]));
  if (command === undefined) {
    terminal.complain(`${whichCommand(args)}? See latchkey --help`);
    return WRONG_USAGE;
  }
  return runCommand(command, args.slice(wordsOf(command).length), terminal);
}

const wordsOf = ({ name }: Command): readonly string[] => name.split(" ");

function whichCommand([name, second]: readonly string[]): string {
  if (name === undefined) return "which command";
  const family = commands.filter((one) => one.name.startsWith(`${name} `));
  if (family.length === 0) return `there is no command ${name}`;
  const asked = second === undefined || second.startsWith("-") ? name : `${name} ${second}`;
  return `there is no command ${asked}: was ${family.map((one) => one.name).join(" or ")} meant`;
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String(JSON.parse(text).version);
}

function help(): string {
  return [
    "Latchkey, the front door of a self-hosted web application",
    "",
    "Usage: latchkey <command> [options]",
    "",
    "Commands:",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`),
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
