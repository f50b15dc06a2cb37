import { addUser } from "../../core/accounts/add-user.ts";
import { type Command, UsageError } from "../command.ts";
import { newPassword } from "../prompt.ts";
import {
  passwordTooShort,
  quoted,
  STORE_SETTINGS,
  usernameTaken,
  withAccounts,
} from "./accounts.ts";

export const command: Command = {
  details: "Asks for the password twice.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "password-stdin", about: "read the password from standard input instead of asking" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey user add alice", "latchkey user add alice --password-stdin < password-file"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      // Before the password is asked for.
      if (username === "") throw new UsageError("a user needs a name");
      if ((await accounts.store.findUserByUsername(username)) !== undefined) {
        return usernameTaken(username, terminal);
      }
      const password = await newPassword(terminal.ports, options);
      const outcome = await addUser(accounts, username, password);
      switch (outcome.kind) {
        case "username-missing":
          throw new UsageError("a user needs a name");
        case "password-too-short":
          return passwordTooShort(terminal);
        case "username-taken":
          return usernameTaken(username, terminal);
        case "added":
          return terminal.succeed(`Created user ${quoted(username)}.`);
      }
    }),
};
