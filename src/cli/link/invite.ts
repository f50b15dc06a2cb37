import type { Command } from "../command.ts";
import { givenEnd, shownDate, UNTIL } from "../times.ts";
import { quoted } from "../user/accounts.ts";
import { givenGroups } from "../user/groups.ts";
import { EXPIRES, LINK_SETTINGS, printLink } from "./make.ts";

export const command: Command = {
  details: "Whoever opens the link first chooses a username and a password, and is signed in.",
  options: [
    { name: "username", value: "name", about: "the username of the account" },
    { name: "groups", value: "groups", about: "with commas between them, such as family,photos" },
    EXPIRES,
    UNTIL,
  ],
  settings: LINK_SETTINGS,
  examples: [
    "latchkey link invite --groups family",
    "latchkey link invite --username alice --expires 12h --until 2030-01-31",
  ],

  run(settings, options, terminal) {
    const groups = givenGroups(options.groups);
    const endsAt = givenEnd(options);
    const name = options.username === undefined ? undefined : String(options.username);
    const account = name === undefined ? "an account" : `the account ${quoted(name)}`;
    const member = groups.length === 0 ? "" : ` in ${groups.join(", ")}`;
    const ends = endsAt === undefined ? "" : `, which ends ${shownDate(endsAt)}`;
    const wanted = {
      purpose: "invite" as const,
      ...(name !== undefined && { name }),
      ...(groups.length > 0 && { groups }),
      ...(endsAt && { endsAt }),
    };
    const does = `makes ${account}${member}${ends}, once`;
    return printLink(settings, options, terminal, { wanted: () => wanted, name, does });
  },
};
