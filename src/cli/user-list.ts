import { printable, printableJson } from "../server/printable.ts";
import { STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { type Command, SUCCESS } from "./command.ts";

const READ_AT_ONCE = 1_000;

export const userListCommand: Command = {
  name: "user list",
  summary: "Shows the accounts, in the order of their IDs.",
  options: [{ name: "json", about: "one JSON object a line" }],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async ({ store }) => {
      const format = options.json === true ? asJson : forPeople;
      for (let afterId = ""; ; ) {
        const users = await store.readUsers({ afterId, limit: READ_AT_ONCE });
        await terminal.printAll(users.map(format));
        const last = users.at(-1);
        if (last === undefined || users.length < READ_AT_ONCE) return SUCCESS;
        afterId = last.id;
      }
    }),
};

interface Listed {
  readonly id: string;
  readonly username: string;
  readonly sessionsFrom?: number;
}

/** Without the hash, which nobody needs to see. */
function asJson({ id, username, sessionsFrom }: Listed): string {
  const from = sessionsFrom === undefined ? null : new Date(sessionsFrom * 1000).toISOString();
  return printableJson({ id, username, sessionsFrom: from });
}

const forPeople = ({ id, username }: Listed): string => printable(`${id}  ${username}`);
