import { removeUser } from "../../core/accounts/remove-user.ts";
import type { Command } from "../command.ts";
import { confirm } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";
import { type Accounts, noUser, quoted, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Asks first. Its sessions end. The last user cannot be removed.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "yes", about: "do not ask for confirmation" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user remove alice", "latchkey user remove alice --yes"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      if ((await accounts.store.findUserByUsername(username)) === undefined) {
        return noUser(username, terminal);
      }
      // Before the confirmation is asked for.
      if (await isLast(accounts)) return lastUser(username, terminal);
      const question = `Remove user ${quoted(username)}?`;
      if (options.yes !== true && !(await confirm(terminal.ports, question, "--yes"))) {
        return terminal.fail("nothing was removed");
      }
      switch (await removeUser(accounts, username)) {
        case "no-user":
          return noUser(username, terminal);
        case "last-user":
          return lastUser(username, terminal);
        case "removed":
          return terminal.succeed(`Removed user ${quoted(username)}.`);
      }
    }),
};

/** Checked before the confirmation is asked for. The store checks again when it removes the user. */
const isLast = async ({ store }: Accounts): Promise<boolean> =>
  (await store.readUsers({ afterId: "", limit: 2 })).length === 1;

const lastUser = (username: string, terminal: Terminal): number =>
  terminal.fail(
    `"${username}" is the last user and cannot be removed: without an account, anyone could set up this server`,
  );
