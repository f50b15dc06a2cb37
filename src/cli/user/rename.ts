import { renameUser } from "../../core/accounts/rename-user.ts";
import { type Command, UsageError } from "../command.ts";
import { noUser, quoted, STORE_SETTINGS, usernameTaken, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Its sessions stay valid.",
  operands: [
    { name: "from", need: "required" },
    { name: "to", need: "required" },
  ],
  options: [],
  settings: STORE_SETTINGS,
  examples: ["latchkey user rename alice alice.smith"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const [from, to] = [String(options.from), String(options.to)];
      switch (await renameUser(accounts, from, to)) {
        case "no-user":
          return noUser(from, terminal);
        case "username-missing":
          throw new UsageError("a user needs a name");
        case "username-taken":
          return usernameTaken(to, terminal);
        case "renamed":
          return terminal.succeed(`Renamed user ${quoted(from)} to ${quoted(to)}.`);
      }
    }),
};
