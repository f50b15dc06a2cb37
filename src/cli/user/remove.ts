import { removeUser } from "../../core/accounts/accounts.ts";
import type { Command } from "../command.ts";
import { confirm } from "../prompt.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Asks first. Its sessions end. The last user cannot be removed.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "yes", about: "do not ask for confirmation" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user remove alice", "latchkey user remove alice --yes"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      const id = await idOf(accounts, username);
      if (id === "") return reportRefusal("no-user", username, terminal);
      // Before the confirmation is asked for. The store checks again when it removes the user.
      const users = await accounts.store.users.read("", 2);
      if (users.length === 1) return reportRefusal("last-user", username, terminal);
      const question = `Remove user ${quoted(username)}?`;
      if (options.yes !== true && !(await confirm(terminal.ports, question, "--yes"))) {
        return terminal.fail("nothing was removed");
      }
      const outcome = await removeUser(accounts, id);
      if (outcome !== "removed") return reportRefusal(outcome, username, terminal);
      return terminal.succeed(`Removed user ${quoted(username)}.`);
    }),
};
