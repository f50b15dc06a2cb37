import { addUser } from "../core/add-user.ts";
import { STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { type Command, FAILURE, SUCCESS, UsageError } from "./command.ts";
import { newPassword } from "./new-password.ts";
import type { Terminal } from "./terminal.ts";

export const userAddCommand: Command = {
  name: "user add",
  summary: "Adds an account. Asks for its password twice.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "password-stdin", about: "reads the password from standard input instead of asking" },
  ],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      // Before anything is asked for.
      if (username === "") throw new UsageError("an account needs a name");
      if ((await accounts.store.findUserByUsername(username)) !== undefined) {
        return taken(username, terminal);
      }
      const password = await newPassword(
        options["password-stdin"] === true ? "standard-input" : "terminal",
      );
      const outcome = await addUser(accounts, username, password);
      switch (outcome.kind) {
        case "username-missing":
          throw new UsageError("an account needs a name");
        case "password-too-short":
          terminal.complain("a password has to have 8 bytes or more");
          return FAILURE;
        case "username-taken":
          return taken(username, terminal);
        case "added":
          terminal.print(outcome.user.id);
          return SUCCESS;
      }
    }),
};

function taken(username: string, terminal: Terminal): number {
  terminal.complain(`there is an account ${username} already`);
  return FAILURE;
}
