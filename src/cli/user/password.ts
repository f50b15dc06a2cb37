import { resetPassword } from "../../core/accounts/accounts.ts";
import type { Command } from "../command.ts";
import { newPassword, PASSWORD_STDIN } from "../prompt.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details:
    "Asks for the new password twice, and not for the old one. Sessions stay valid; latchkey user sign-out ends them.",
  operands: [{ name: "name", need: "required" }],
  options: [PASSWORD_STDIN],
  settings: STORE_SETTINGS,
  examples: [
    "latchkey user password alice",
    "latchkey user password alice --password-stdin < password-file",
  ],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      const id = await idOf(accounts, username);
      // Before the password is asked for.
      if (id === "") return reportRefusal("no-user", username, terminal);
      const password = await newPassword(terminal.ports, options);
      const outcome = await resetPassword(accounts, id, password);
      if (outcome !== "reset") return reportRefusal(outcome, username, terminal);
      return terminal.succeed(`Set a new password for user ${quoted(username)}.`);
    }),
};
