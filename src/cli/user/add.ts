import { addUser } from "../../core/accounts/accounts.ts";
import { AnyFault, codeOf, messageOf } from "../../core/base/fault.ts";
import { openIfExists, openStore } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import type { Command } from "../command.ts";
import { newPassword, PASSWORD_STDIN } from "../prompt.ts";
import { givenEnd, UNTIL } from "../times.ts";
import { quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { GROUPS, givenGroups } from "./groups.ts";

export const command: Command = {
  details: "Asks for the password twice. The first user closes the setup page.",
  operands: [{ name: "name", need: "required" }],
  options: [
    PASSWORD_STDIN,
    GROUPS,
    UNTIL,
    { name: "create", about: "create a missing database, or the tables in an empty one" },
  ],
  settings: [...STORE_SETTINGS, "SETUP_TOKEN_FILE"],
  examples: [
    "latchkey user add alice",
    "latchkey user add alice --password-stdin < password-file",
    "latchkey user add alice --password-stdin --create < password-file",
  ],

  async run(settings, options, terminal) {
    const username = String(options.name);
    const endsAt = givenEnd(options);
    const facts = { groups: givenGroups(options.groups), ...(endsAt && { endsAt }) };
    const missing = options.create === true ? "create" : "refuse";
    // Before the password is asked for, and before a database is created.
    if (username === "") return reportRefusal("username-missing", username, terminal);
    if (await isTaken(username, settings, missing)) {
      return reportRefusal("username-taken", username, terminal);
    }
    const password = await newPassword(terminal.ports, options);
    const add = withAccounts(
      settings,
      terminal,
      (accounts) => addUser(accounts, username, password, facts),
      missing,
    );
    const { kind } = await add;
    if (kind !== "added") return reportRefusal(kind, username, terminal);
    return terminal.succeed(`Created user ${quoted(username)}.`);
  },
};

async function isTaken(
  username: string,
  settings: Settings,
  missing: "create" | "refuse",
): Promise<boolean> {
  await using store = await (missing === "create"
    ? openIfExists(settings)
    : openStore(settings, "refuse").catch(withHint));
  return (await store?.users.findByName(username)) !== undefined;
}

function withHint(error: unknown): never {
  if (codeOf(error) !== "database_missing") throw error;
  const text = `${messageOf(error)}: --create sets it up with this user`;
  throw new AnyFault("database_missing", text, { cause: error });
}
