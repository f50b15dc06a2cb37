import { renameUser } from "../../core/accounts/accounts.ts";
import type { Command } from "../command.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "Its sessions stay valid.",
  operands: [
    { name: "from", need: "required" },
    { name: "to", need: "required" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey user rename alice alice.smith"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const [from, to] = [String(options.from), String(options.to)];
      const outcome = await renameUser(accounts, await idOf(accounts, from), to);
      if (outcome !== "renamed")
        return reportRefusal(outcome, outcome === "no-user" ? from : to, terminal);
      return terminal.succeed(`Renamed user ${quoted(from)} to ${quoted(to)}.`);
    }),
};
