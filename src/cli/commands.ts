import type { Command, CommandEntry } from "./command.ts";

type CommandRow = readonly [name: string, summary: string, load: CommandEntry["load"]];

/** A command of a module that has several. */
const of =
  <Name extends string>(name: Name, load: () => Promise<Readonly<Record<Name, Command>>>) =>
  async () => ({ command: (await load())[name] });

const users = () => import("./user.ts");
const sessions = () => import("./session.ts");
const keys = () => import("./key.ts");
const links = () => import("./link.ts");
const backups = () => import("./transfer/backup.ts");
const domains = () => import("./domain.ts");

/** In the order of the help. A module loads only when its command runs. */
const groups: Readonly<Record<string, readonly CommandRow[]>> = {
  Server: [
    ["serve", "Start the gate", () => import("./serve.ts")],
    ["demo", "Try a sample app behind the sign-in", () => import("./demo.ts")],
  ],
  Accounts: [
    ["setup-link", "Print a link to create the first account", () => import("./setup-link.ts")],
    ["user list", "List the users", of("list", users)],
    ["user add", "Add a user", of("add", users)],
    ["user password", "Set a new password", of("password", users)],
    ["user groups", "Set the groups of a user", of("groups", users)],
    ["user rename", "Rename a user", of("rename", users)],
    ["user remove", "Remove a user", of("remove", users)],
    ["user forget-name", "Free the name of a removed user", of("forgetName", users)],
    ["user codes off", "Turn off the one-time codes of a user", of("codesOff", users)],
    ["user sign-out", "End all sessions of one or all users", of("endAll", sessions)],
    ["session list", "List the sessions of one or all users", of("list", sessions)],
    ["session end", "End one session", of("end", sessions)],
    ["key add", "Make a key with which a program opens apps", of("add", keys)],
    ["key list", "List the keys of one or all users", of("list", keys)],
    ["key revoke", "Revoke a key", of("revoke", keys)],
  ],
  Links: [
    ["link invite", "Make a link for a new account", of("invite", links)],
    ["link reset", "Make a link to set a new password", of("reset", links)],
    ["link guest", "Make a link for a guest", of("guest", links)],
    ["link list", "List the links", of("list", links)],
    ["link revoke", "Revoke a link", of("revoke", links)],
  ],
  Data: [
    ["backup", "Copy the SQLite database into a file", of("backup", backups)],
    ["restore", "Replace the SQLite database with a backup", of("restore", backups)],
    ["import", "Add users from a CSV or JSON lines file", () => import("./transfer/import.ts")],
    ["export", "Write all users as JSON lines or CSV", () => import("./transfer/export.ts")],
    [
      "copy",
      "Copy all users and the audit log into another database",
      () => import("./transfer/copy.ts"),
    ],
  ],
  Operations: [
    ["log", "Show the audit log", () => import("./log.ts")],
    ["health", "Check that the gate answers", () => import("./health.ts")],
    ["doctor", "Check an installation for common problems", () => import("./doctor.ts")],
    ["domain add", "Get a certificate for a domain and renew it", of("add", domains)],
    ["domain status", "Show domains and their certificates", of("status", domains)],
    ["domain remove", "Remove a domain and its certificate", of("remove", domains)],
    ["proxy", "Print the configuration of a reverse proxy", () => import("./proxy.ts")],
    ["secret", "Print a new random value for AUTH_SECRET", () => import("./secret.ts")],
    ["completion", "Print a completion script for a shell", () => import("./completion.ts")],
  ],
};

export const commands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([name, summary, load]) => ({ name, group, summary, load })),
);

interface FoundCommand {
  /** The longest beginning of the arguments that names of commands begin with. */
  readonly words: string;
  /** The commands whose names begin with these words. */
  readonly family: readonly CommandEntry[];
  /** The command whose name these words are. */
  readonly entry: CommandEntry | undefined;
  readonly rest: readonly string[];
}

/** Finds a command, or the family that its name would belong to. */
export function findCommand(args: readonly string[]): FoundCommand {
  let family = commands;
  let at = 0;
  for (const word of args) {
    const narrower = family.filter(({ name }) => name.split(" ")[at] === word);
    if (narrower.length === 0) break;
    family = narrower;
    at += 1;
  }
  const words = args.slice(0, at).join(" ");
  const entry = family.find(({ name }) => name === words);
  return { words, family, entry, rest: args.slice(at) };
}
