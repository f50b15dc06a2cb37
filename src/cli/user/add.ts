import { addUser } from "../../core/accounts/add-user.ts";
import { type Command, SUCCESS, UsageError } from "../command.ts";
import { accountTaken, passwordTooShort, STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { newPassword } from "./new-password.ts";

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
        return accountTaken(username, terminal);
      }
      const password = await newPassword(options);
      const outcome = await addUser(accounts, username, password);
      switch (outcome.kind) {
        case "username-missing":
          throw new UsageError("an account needs a name");
        case "password-too-short":
          return passwordTooShort(terminal);
        case "username-taken":
          return accountTaken(username, terminal);
        case "added":
          terminal.print(outcome.user.id);
          return SUCCESS;
      }
    }),
};
