import { removeUser } from "../../core/accounts/remove-user.ts";
import { printable } from "../../gate/printable.ts";
import { type Command, FAILURE, SUCCESS, UsageError } from "../command.ts";
import { ask } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";
import { type Accounts, noAccount, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const userRemoveCommand: Command = {
  name: "user remove",
  summary: "Removes an account, after asking. Its sessions end. The last one cannot be removed.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "yes", about: "does not ask" }],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      if ((await accounts.store.findUserByUsername(username)) === undefined) {
        return noAccount(username, terminal);
      }
      // Before anything is asked for.
      if (await isLast(accounts)) return lastAccount(username, terminal);
      if (options.yes !== true && !(await isMeant(username))) {
        terminal.complain("nothing was removed");
        return FAILURE;
      }
      switch (await removeUser(accounts, username)) {
        case "no-user":
          return noAccount(username, terminal);
        case "last-user":
          return lastAccount(username, terminal);
        case "removed":
          return SUCCESS;
      }
    }),
};

/** Of an account that there is. Whether it is the last when it goes, the store decides. */
async function isLast({ store }: Accounts): Promise<boolean> {
  return (await store.readUsers({ afterId: "", limit: 2 })).length === 1;
}

function lastAccount(username: string, terminal: Terminal): number {
  terminal.complain(
    `${username} is the last account: without one, anybody could set up the service`,
  );
  return FAILURE;
}

async function isMeant(username: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError("there is no terminal to ask at: use --yes");
  return /^y(es)?$/i.test((await ask(`Remove the account ${printable(username)}? [y/N] `)).trim());
}
