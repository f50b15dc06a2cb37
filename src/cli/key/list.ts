import type { Key } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { JSON_LINES, startListing } from "../listing.ts";
import { SUCCESS } from "../terminal.ts";
import { reportRefusal, STORE_SETTINGS } from "../user/accounts.ts";

export const command: Command = {
  details: "The last use is known to the hour.",
  options: [{ name: "user", value: "user", about: "only the keys of this user" }, JSON_LINES],
  settings: STORE_SETTINGS,
  examples: ["latchkey key list", "latchkey key list --user alice --json"],

  async run(settings, options, terminal) {
    await using store = await openStoreToRead(settings);
    const one = options.user && (await store.users.findByName(String(options.user)));
    if (options.user && !one) return reportRefusal("no-user", String(options.user), terminal);
    const print = startListing(LISTING, options, terminal);
    for await (const users of one ? [[one]] : pagesOf(store.users.read)) {
      for (const { id, username } of users) {
        await print((await store.keys.listOf(id)).map((key) => ({ key, username })));
      }
    }
    return SUCCESS;
  },
};

interface Listed {
  readonly key: Key;
  readonly username: string;
}

/** Without the hash. */
const LISTING = {
  columns: { ID: 16, "LAST USE": 24, EXPIRES: 24, USER: 0, HOSTS: 0, NAME: 0 },
  cells: ({ key: { id, usedAt, expiresAt, hosts, name }, username }: Listed) => [
    ...[id, usedAt?.toISOString() ?? "never", expiresAt?.toISOString() ?? "never", username],
    ...[hosts?.join(",") ?? "*", name],
  ],
  object({ key: { id, name, createdAt, ...key }, username }: Listed) {
    const { hosts = null, expiresAt = null, usedAt = null } = key;
    return { id, username, name, hosts, createdAt, expiresAt, usedAt };
  },
};
