import type { StoredUser } from "../../core/store.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import { printable, printableJson } from "../../files/printable.ts";
import { openStoreToRead } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { SUCCESS } from "../terminal.ts";
import { STORE_SETTINGS } from "./accounts.ts";

export const command: Command = {
  details: "In the order of their IDs.",
  options: [{ name: "json", about: "print one JSON object per line" }],
  settings: STORE_SETTINGS,
  examples: ["latchkey user list", "latchkey user list --json"],

  async run(settings, options, terminal) {
    await using store = await openStoreToRead(settings);
    const format = options.json === true ? asJson : row;
    if (format === row) terminal.printHeader(`${"ID".padEnd(ID_LENGTH)}  NAME`);
    for await (const users of pagesOf("", (query) => store.readUsers(query)))
      await terminal.printAll(users.map(format));
    return SUCCESS;
  },
};

const ID_LENGTH = 36;

/** Without the password hash. */
function asJson({ id, username, sessionsFrom }: StoredUser): string {
  const from = sessionsFrom === undefined ? null : new Date(sessionsFrom * 1000).toISOString();
  return printableJson({ id, username, sessionsFrom: from });
}

const row = ({ id, username }: StoredUser): string => printable(`${id}  ${username}`);
