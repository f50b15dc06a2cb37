import { removeCodes } from "../../core/codes/turn-off-codes.ts";
import type { Command } from "../command.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details: "For a lost phone: the next sign-in needs the password only.",
  operands: [{ name: "name", need: "required" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user codes off alice"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      switch (await removeCodes(accounts, await idOf(accounts, username))) {
        case "no-user":
          return reportRefusal("no-user", username, terminal);
        case "already-off":
          return terminal.succeed(`User ${quoted(username)} does not use one-time codes.`);
        case "off":
          return terminal.succeed(`Turned off the one-time codes of user ${quoted(username)}.`);
      }
    }),
};
