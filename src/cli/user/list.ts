import { printable, printableJson } from "../../gate/printable.ts";
import { type Command, SUCCESS } from "../command.ts";
import { STORE_SETTINGS, withAccounts } from "./accounts.ts";
import { userPages } from "./pages.ts";

export const userListCommand: Command = {
  name: "user list",
  summary: "Shows the accounts, in the order of their IDs.",
  options: [{ name: "json", about: "one JSON object a line" }],
  settings: STORE_SETTINGS,

  run: (settings, options, terminal) =>
    withAccounts(settings, terminal, async ({ store }) => {
      const format = options.json === true ? asJson : forPeople;
      for await (const users of userPages(store)) await terminal.printAll(users.map(format));
      return SUCCESS;
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
