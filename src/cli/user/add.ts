import { addUser } from "../../core/accounts/add-user.ts";
import type { Command } from "../command.ts";
import { newPassword, PASSWORD_STDIN } from "../prompt.ts";
import { quoted, refuse, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Asks for the password twice.",
  operands: [{ name: "name", need: "required" }],
  options: [PASSWORD_STDIN],
  settings: STORE_SETTINGS,
  examples: ["latchkey user add alice", "latchkey user add alice --password-stdin < password-file"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      // Before the password is asked for.
      if (username === "") return refuse("username-missing", username, terminal);
      if ((await accounts.store.findUserByUsername(username)) !== undefined) {
        return refuse("username-taken", username, terminal);
      }
      const password = await newPassword(terminal.ports, options);
      const { kind } = await addUser(accounts, username, password);
      if (kind !== "added") return refuse(kind, username, terminal);
      return terminal.succeed(`Created user ${quoted(username)}.`);
    }),
};
