import { type Command, type OptionValues, UsageError } from "../command.ts";
import { counted } from "../terminal.ts";
import { givenAge } from "../times.ts";
import { quoted } from "../user/accounts.ts";
import { givenGroups } from "../user/groups.ts";
import { EXPIRES, LINK_SETTINGS, printLink } from "./make.ts";

const LONGEST_STAY = "365d";

export const command: Command = {
  details:
    "Whoever opens the link is a guest: an account without a password, which only apps see that name one of its groups. It ends when the link expires, and is removed with its sessions.",
  operands: [{ name: "label", need: "required" }],
  options: [
    { name: "groups", value: "groups", about: "required, with commas between them" },
    EXPIRES,
    {
      name: "for",
      value: "time",
      about: "how long a guest stays from the first use, instead of until the link expires",
    },
    { name: "uses", value: "number", about: "how many guests the link admits, by default 1" },
  ],
  settings: LINK_SETTINGS,
  examples: [
    "latchkey link guest plumber --groups camera --expires 12h",
    "latchkey link guest party --groups photos --for 3d --uses 20",
  ],

  run(settings, options, terminal) {
    const name = String(options.label);
    const groups = givenGroups(options.groups);
    if (name === "") throw new UsageError("a guest needs a label");
    if (groups.length === 0)
      throw new UsageError("link guest needs --groups: only lists of groups admit a guest");
    const stay = givenAge(options, "for", LONGEST_STAY);
    const usesLeft = usesIn(options);
    const guestSeconds = stay === undefined ? {} : { guestSeconds: stay / 1_000 };
    const wanted = { purpose: "guest" as const, name, groups, usesLeft, ...guestSeconds };
    const how = stay === undefined ? "" : `, each for ${options.for}`;
    const who = `${counted(usesLeft, "guest")} ${quoted(name)} in ${groups.join(", ")}`;
    return printLink(settings, options, terminal, {
      wanted: () => wanted,
      does: `admits ${who}${how}`,
    });
  },
};

function usesIn({ uses = "1" }: OptionValues): number {
  if (/^[1-9]\d{0,3}$/.test(String(uses))) return Number(uses);
  throw new UsageError("--uses takes a whole number from 1 to 9999");
}
