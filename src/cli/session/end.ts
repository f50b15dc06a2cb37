import { byOperator, eventOf } from "../../core/log/events.ts";
import { endInStore } from "../../core/sessions/sign-out.ts";
import type { Command } from "../command.ts";
import { quoted, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

export const command: Command = {
  details:
    "Ends one session on every instance, or forgets a device that needs no one-time code. The user can sign in again.",
  operands: [{ name: "id", need: "required" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey session end 5f0c1d7f7d9e4a3b8c6d2e1f0a9b8c7d"],

  run: (settings, { id }, terminal) =>
    withAccounts(settings, terminal, async ({ store, clock, record }) => {
      const session = await store.sessions.find(String(id));
      const device = session ? undefined : await store.devices.find(String(id), new Date());
      const found = session ?? device;
      const user = found && (await store.users.find(found.userId));
      if (user && session && (await endInStore({ store, clock }, session))) {
        await record(byOperator(eventOf("session_end", { user })));
        return terminal.succeed(`Ended a session of user ${quoted(user.username)}.`);
      }
      if (user && device && (await store.devices.remove(user.id, device.id))) {
        await record(byOperator(eventOf("device_remove", { user })));
        return terminal.succeed(`Forgot a remembered device of user ${quoted(user.username)}.`);
      }
      return terminal.fail(`there is no session or remembered device ${quoted(String(id))}`);
    }),
};
