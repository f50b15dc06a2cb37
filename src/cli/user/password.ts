import { resetPassword } from "../../core/accounts/reset-password.ts";
import type { Command } from "../command.ts";
import { newPassword } from "../prompt.ts";
import { noUser, passwordTooShort, quoted, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details:
    "Asks for the new password twice, and not for the old one. Sessions stay valid; latchkey user sign-out ends them.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "password-stdin", about: "read the password from standard input instead of asking" },
  ],
  settings: STORE_SETTINGS,
  examples: [
    "latchkey user password alice",
    "latchkey user password alice --password-stdin < password-file",
  ],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      // Before the password is asked for.
      if ((await accounts.store.findUserByUsername(username)) === undefined) {
        return noUser(username, terminal);
      }
      const password = await newPassword(terminal.ports, options);
      switch (await resetPassword(accounts, username, password)) {
        case "no-user":
          return noUser(username, terminal);
        case "password-too-short":
          return passwordTooShort(terminal);
        case "reset":
          return terminal.succeed(`Set a new password for user ${quoted(username)}.`);
      }
    }),
};
