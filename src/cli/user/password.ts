import { resetPassword } from "../../core/accounts/reset-password.ts";
import { type Command, SUCCESS } from "../command.ts";
import { noAccount, passwordTooShort, STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { newPassword } from "./new-password.ts";

export const userPasswordCommand: Command = {
  name: "user password",
  summary:
    "Sets a new password without asking for the old one: the way back in. Sessions go on; user sign-out ends them.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "password-stdin", about: "reads the password from standard input instead of asking" },
  ],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      // Before anything is asked for.
      if ((await accounts.store.findUserByUsername(username)) === undefined) {
        return noAccount(username, terminal);
      }
      const password = await newPassword(options);
      switch (await resetPassword(accounts, username, password)) {
        case "no-user":
          return noAccount(username, terminal);
        case "password-too-short":
          return passwordTooShort(terminal);
        case "reset":
          return SUCCESS;
      }
    }),
};
