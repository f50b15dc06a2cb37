import { endAllSessions, endSessionsOf } from "../../core/accounts/accounts.ts";
import { type Command, UsageError } from "../command.ts";
import { counted } from "../terminal.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Ends every session issued before now, on every instance.",
  operands: [{ name: "name", need: "optional" }],
  options: [{ name: "all", about: "end the sessions of all users" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user sign-out alice", "latchkey user sign-out --all"],

  run(settings, options, terminal) {
    const { name, all } = options;
    if ((name === undefined) === (all === undefined)) {
      throw new UsageError("user sign-out takes either NAME or --all");
    }
    return withAccounts(settings, terminal, async (accounts) => {
      if (all === true) {
        const users = await endAllSessions(accounts);
        return terminal.succeed(`Ended all sessions of ${counted(users, "user")}.`);
      }
      const username = String(name);
      return (await endSessionsOf(accounts, await idOf(accounts, username))) === "ended"
        ? terminal.succeed(`Ended all sessions of user ${quoted(username)}.`)
        : reportRefusal("no-user", username, terminal);
    });
  },
};
