import type { Link } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { JSON_LINES, startListing } from "../listing.ts";
import { SUCCESS } from "../terminal.ts";
import { STORE_SETTINGS } from "../user/accounts.ts";

export const command: Command = {
  details: "Lists the links that can be used, without their tokens, which are not stored.",
  options: [JSON_LINES],
  settings: STORE_SETTINGS,
  examples: ["latchkey link list", "latchkey link list --json"],

  async run(settings, options, terminal) {
    await using store = await openStoreToRead(settings);
    const now = new Date();
    const print = startListing(LISTING, options, terminal);
    for await (const links of pagesOf((...page) => store.links.read(...page, now)))
      await print(links);
    return SUCCESS;
  },
};

const LISTING = {
  columns: { ID: 16, PURPOSE: 15, EXPIRES: 24, USES: 4, NAME: 0, GROUPS: 0 },
  cells: ({ id, purpose, expiresAt, usesLeft, name = "", groups = [] }: Link) => [
    ...[id, purpose, expiresAt.toISOString(), String(usesLeft), name, groups.join(",")],
  ],
  object: ({ tokenHash: _, userId: __, ...link }: Link) => link,
};
