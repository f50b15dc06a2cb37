import { endFactors, removeCodes } from "../../core/accounts/accounts.ts";
import type { Command } from "../command.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details:
    "For a lost phone: the next sign-in needs the password only. With --passkeys, the sessions end too.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "passkeys", about: "also remove all passkeys, and end all sessions" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user codes off alice", "latchkey user codes off alice --passkeys"],

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      const off = options.passkeys === true ? endFactors : removeCodes;
      switch (await off(accounts, await idOf(accounts, username))) {
        case "no-user":
          return reportRefusal("no-user", username, terminal);
        case "already-off":
          return terminal.succeed(`User ${quoted(username)} does not use one-time codes.`);
        case "off":
          return terminal.succeed(`Turned off the one-time codes of user ${quoted(username)}.`);
        case "ended":
          return terminal.succeed(
            `Removed the one-time codes, remembered devices and passkeys of user ${quoted(username)}, and ended all sessions.`,
          );
      }
    }),
};
