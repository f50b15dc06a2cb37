import { revokeKey } from "../../core/keys/own-keys.ts";
import { byOperator, type Event } from "../../core/log/events.ts";
import type { Command } from "../command.ts";
import { quoted, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

export const command: Command = {
  details: "Ends a key on every instance. latchkey key list shows the IDs.",
  operands: [{ name: "id", need: "required" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey key revoke 5f0c1d7f7d9e4a3b"],

  run: (settings, { id }, terminal) =>
    withAccounts(settings, terminal, async ({ store, clock, record }) => {
      const ports = { store, clock, record: (event: Event) => record(byOperator(event)) };
      const user = await revokeKey(ports, String(id));
      return user === undefined
        ? terminal.fail(`there is no key ${quoted(String(id))}`)
        : terminal.succeed(`Revoked a key of user ${quoted(user.username)}.`);
    }),
};
