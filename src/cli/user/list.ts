import { NO_PASSWORD, type StoredUser } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { JSON_LINES, startListing } from "../listing.ts";
import { SUCCESS } from "../terminal.ts";
import { STORE_SETTINGS } from "./accounts.ts";

export const command: Command = {
  details: "In the order of their IDs.",
  options: [JSON_LINES],
  settings: STORE_SETTINGS,
  examples: ["latchkey user list", "latchkey user list --json"],

  async run(settings, options, terminal) {
    await using store = await openStoreToRead(settings);
    const print = startListing(LISTING, options, terminal);
    for await (const users of pagesOf(store.users.read)) await print(users);
    return SUCCESS;
  },
};

/** Without the password hash. */
const LISTING = {
  columns: { ID: 36, NAME: 0, GROUPS: 0, END: 0 },
  cells: ({ id, username, groups = [], endsAt }: StoredUser) => {
    if (endsAt !== undefined) return [id, username, groups.join(","), endsAt.toISOString()];
    return groups.length === 0 ? [id, username] : [id, username, groups.join(",")];
  },
  object({ id, username, sessionsFrom, groups = [], endsAt, passwordHash }: StoredUser) {
    const from = sessionsFrom === undefined ? null : new Date(sessionsFrom * 1000);
    const guest = passwordHash === NO_PASSWORD;
    return { id, username, sessionsFrom: from, groups, endsAt: endsAt ?? null, guest };
  },
};
