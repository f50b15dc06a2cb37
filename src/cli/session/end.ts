import { byOperator, eventOf } from "../../core/log/events.ts";
import { endSession } from "../../core/sessions/end-session.ts";
import type { Command } from "../command.ts";
import { quoted, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

export const command: Command = {
  details: "Ends one session on every instance. The user can sign in again.",
  operands: [{ name: "id", need: "required" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey session end 5f0c1d7f7d9e4a3b8c6d2e1f0a9b8c7d"],

  run: (settings, { id }, terminal) =>
    withAccounts(settings, terminal, async ({ store, clock, record }) => {
      const session = await store.sessions.find(String(id));
      const user = session && (await store.users.find(session.userId));
      const ended =
        session && user && (await endSession({ store, clock }, user.id, session.id)) === "ended";
      if (!ended) return terminal.fail(`there is no session ${quoted(String(id))}`);
      await record(byOperator(eventOf("session_end", { user })));
      return terminal.succeed(`Ended a session of user ${quoted(user.username)}.`);
    }),
};
