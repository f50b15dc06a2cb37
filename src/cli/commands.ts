import { type Command, type CommandEntry, SERVE } from "./command.ts";

type CommandRow = readonly [name: string, summary: string, load: CommandEntry["load"]];

/** Returns a loader for one command of a module that contains several. */
const createLoader =
  <Name extends string>(name: Name, load: () => Promise<Readonly<Record<Name, Command>>>) =>
  async () => ({ command: (await load())[name] });

const loadUserCommands = () => import("./user.ts");
const loadSessionCommands = () => import("./session.ts");
const loadKeyCommands = () => import("./key.ts");
const loadLinkCommands = () => import("./link.ts");
const loadSignUpCommands = () => import("./sign-up.ts");
const loadAppCommands = () => import("./app.ts");
const loadBackupCommands = () => import("./transfer/backup.ts");
const loadMail = () => import("./mail.ts");
const loadNotify = () => import("./notify.ts");
const loadDomainCommands = () => import("./domain.ts");

/** Lists the commands in the order of the help. A module loads only when its command runs. */
const groups: Readonly<Record<string, readonly CommandRow[]>> = {
  Server: [
    [SERVE.name, SERVE.summary, () => import("./serve.ts")],
    ["demo", "Try sample apps behind the sign-in", () => import("./demo.ts")],
  ],
  Accounts: [
    ["setup-link", "Print a link to create the first account", () => import("./setup-link.ts")],
    ["user list", "List the users", createLoader("list", loadUserCommands)],
    ["user add", "Add a user", createLoader("add", loadUserCommands)],
    ["user password", "Set a new password", createLoader("password", loadUserCommands)],
    [
      "user set",
      "Set the name and e-mail address of a user",
      createLoader("set", loadUserCommands),
    ],
    ["user show", "Show a user", createLoader("show", loadUserCommands)],
    ["user groups", "Set the groups of a user", createLoader("groups", loadUserCommands)],
    ["user rename", "Rename a user", createLoader("rename", loadUserCommands)],
    ["user remove", "Remove a user", createLoader("remove", loadUserCommands)],
    [
      "user forget-name",
      "Free the name of a removed user",
      createLoader("forgetName", loadUserCommands),
    ],
    [
      "user codes off",
      "Turn off the one-time codes of a user",
      createLoader("codesOff", loadUserCommands),
    ],
    [
      "user sign-out",
      "End all sessions of one or all users",
      createLoader("endAll", loadSessionCommands),
    ],
    [
      "session list",
      "List the sessions of one or all users",
      createLoader("list", loadSessionCommands),
    ],
    ["session end", "End one session", createLoader("end", loadSessionCommands)],
    ["key add", "Make a key with which a program opens apps", createLoader("add", loadKeyCommands)],
    ["key list", "List the keys of one or all users", createLoader("list", loadKeyCommands)],
    ["key revoke", "Revoke a key", createLoader("revoke", loadKeyCommands)],
    [
      "sign-up list",
      "List the people who ask for an account",
      createLoader("list", loadSignUpCommands),
    ],
    [
      "sign-up approve",
      "Make the account of a request",
      createLoader("approve", loadSignUpCommands),
    ],
    ["sign-up decline", "Remove a request", createLoader("decline", loadSignUpCommands)],
  ],
  Apps: [
    ["app add", "Add an app that people open", createLoader("add", loadAppCommands)],
    [
      "app recipes",
      "List the apps that are known",
      createLoader("recipes", () => import("./recipe.ts")),
    ],
    ["app list", "List the apps", createLoader("list", loadAppCommands)],
    ["app show", "Show an app", createLoader("show", loadAppCommands)],
    ["app change", "Change an app", createLoader("change", loadAppCommands)],
    ["app check", "Sign in to an app, and say what fails", () => import("./app-check.ts")],
    ["app remove", "Remove an app", createLoader("remove", loadAppCommands)],
    ["app secret", "Make a second secret of an app", createLoader("secret", loadAppCommands)],
    ["app rotate-keys", "Make new signing keys", createLoader("rotateKeys", loadAppCommands)],
  ],
  Links: [
    ["link invite", "Make a link for a new account", createLoader("invite", loadLinkCommands)],
    ["link reset", "Make a link to set a new password", createLoader("reset", loadLinkCommands)],
    ["link guest", "Make a link for a guest", createLoader("guest", loadLinkCommands)],
    ["link list", "List the links", createLoader("list", loadLinkCommands)],
    ["link revoke", "Revoke a link", createLoader("revoke", loadLinkCommands)],
  ],
  Data: [
    ["backup", "Copy the SQLite database into a file", createLoader("backup", loadBackupCommands)],
    [
      "restore",
      "Replace the SQLite database with a backup",
      createLoader("restore", loadBackupCommands),
    ],
    ["apply", "Create and change users and apps as a file says", () => import("./apply/apply.ts")],
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
    [
      "domain add",
      "Get a certificate for a domain and renew it",
      createLoader("add", loadDomainCommands),
    ],
    [
      "domain status",
      "Show domains and their certificates",
      createLoader("status", loadDomainCommands),
    ],
    [
      "domain remove",
      "Remove a domain and its certificate",
      createLoader("remove", loadDomainCommands),
    ],
    ["mail test", "Send a message to see whether mail works", createLoader("test", loadMail)],
    [
      "notify test",
      "Send a notice to see whether the operator gets it",
      createLoader("test", loadNotify),
    ],
    ["proxy", "Print the configuration of a reverse proxy", () => import("./proxy.ts")],
    ["secret", "Print a new random value for AUTH_SECRET", () => import("./secret.ts")],
    ["completion", "Print a completion script for a shell", () => import("./completion.ts")],
  ],
};

export const commands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([name, summary, load]) => ({ name, group, summary, load })),
);

interface CommandMatch {
  /** Contains the longest start of the arguments with which command names begin. */
  readonly words: string;
  /** Lists the commands whose names begin with these words. */
  readonly family: readonly CommandEntry[];
  /** Contains the command whose name equals these words, if there is one. */
  readonly entry: CommandEntry | undefined;
  readonly rest: readonly string[];
}

/** Finds a command, or the family that its name would belong to. */
export function findCommand(args: readonly string[]): CommandMatch {
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
