import { renameUser } from "../../core/accounts/rename-user.ts";
import { type Command, SUCCESS, UsageError } from "../command.ts";
import { accountTaken, noAccount, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const userRenameCommand: Command = {
  name: "user rename",
  summary: "Gives an account another name. Its sessions go on.",
  operands: [
    { name: "from", need: "required" },
    { name: "to", need: "required" },
  ],
  options: [],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const [from, to] = [String(options.from), String(options.to)];
      switch (await renameUser(accounts, from, to)) {
        case "no-user":
          return noAccount(from, terminal);
        case "username-missing":
          throw new UsageError("an account needs a name");
        case "username-taken":
          return accountTaken(to, terminal);
        case "renamed":
          return SUCCESS;
      }
    }),
};
