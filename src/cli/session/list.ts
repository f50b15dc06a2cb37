import type { Session } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { JSON_LINES, startListing } from "../listing.ts";
import { SUCCESS } from "../terminal.ts";
import { reportRefusal, STORE_SETTINGS } from "../user/accounts.ts";

/** How many sessions of one user are listed. */
const MAX_OF_USER = 1_000;

export const command: Command = {
  details:
    "Lists the sessions that have not expired. Those of one user are in the order of their last use, which is known to the hour.",
  operands: [{ name: "name", need: "optional" }],
  options: [JSON_LINES],
  settings: STORE_SETTINGS,
  examples: ["latchkey session list", "latchkey session list alice --json"],

  async run(settings, options, terminal) {
    await using store = await openStoreToRead(settings);
    const now = new Date();
    const username = options.name === undefined ? undefined : String(options.name);
    const user = username === undefined ? undefined : await store.users.findByName(username);
    if (username !== undefined && user === undefined)
      return reportRefusal("no-user", username, terminal);
    const print = startListing(LISTING, options, terminal);
    const names = new Map<string, string>();
    for await (const sessions of user === undefined
      ? pagesOf(store.sessions.read)
      : [await store.sessions.listOf(user.id, now, MAX_OF_USER)]) {
      const alive = sessions.filter(({ expiresAt }) => expiresAt > now);
      for (const { userId } of alive) {
        if (!names.has(userId)) names.set(userId, (await store.users.find(userId))?.username ?? "");
      }
      await print(alive.map((session) => ({ session, username: names.get(session.userId) ?? "" })));
    }
    return SUCCESS;
  },
};

interface Listed {
  readonly session: Session;
  readonly username: string;
}

const LISTING = {
  columns: { ID: 32, "LAST USE": 24, ADDRESS: 15, USER: 0, DEVICE: 0 },
  cells: ({ session: { id, usedAt, address, device }, username }: Listed) => [
    ...[id, usedAt.toISOString(), address, username, device],
  ],
  object({ session, username }: Listed) {
    const { id, createdAt, usedAt, expiresAt, address, device } = session;
    return { id, username, createdAt, usedAt, expiresAt, address, device };
  },
};
