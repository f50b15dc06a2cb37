import { revokeLink } from "../../core/links/make-link.ts";
import type { Command } from "../command.ts";
import { quoted, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

export const command: Command = {
  details: "The link stops working on every instance. Accounts that it has made stay.",
  operands: [{ name: "id", need: "required" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey link revoke 5f0c1d7f7d9e4a3b"],

  run: (settings, { id }, terminal) =>
    withAccounts(settings, terminal, async (accounts) =>
      (await revokeLink(accounts, String(id))) === "revoked"
        ? terminal.succeed(`Revoked the link ${quoted(String(id))}.`)
        : terminal.fail(`there is no link ${quoted(String(id))}`),
    ),
};
