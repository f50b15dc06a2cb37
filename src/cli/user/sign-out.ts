import { endAllSessions, endSessionsOf } from "../../core/accounts/end-sessions.ts";
import { type Command, SUCCESS, UsageError } from "../command.ts";
import { noAccount, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const userSignOutCommand: Command = {
  name: "user sign-out",
  summary: "Ends every session of an account that was issued before now, on every instance.",
  operands: [{ name: "name", need: "optional" }],
  options: [{ name: "all", about: "those of every account" }],
  settings: STORE_SETTINGS,

  run(settings, options, terminal) {
    const { name, all } = options;
    if ((name === undefined) === (all === undefined)) {
      throw new UsageError("user sign-out takes either a name or --all");
    }
    return withAccounts(settings, terminal, async (accounts) => {
      if (all === true) {
        const users = await endAllSessions(accounts);
        terminal.print(`${users} ${users === 1 ? "account" : "accounts"}`);
        return SUCCESS;
      }
      const username = String(name);
      return (await endSessionsOf(accounts, username)) === "ended"
        ? SUCCESS
        : noAccount(username, terminal);
    });
  },
};
