import { LINK_LIFETIME_MS, makeLink, type WantedLink } from "../../core/links/make-link.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { type Command, type CommandOption, type OptionValues, UsageError } from "../command.ts";
import { SUCCESS, type Terminal } from "../terminal.ts";
import { givenAge, givenEnd, shownDate, UNTIL } from "../times.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";
import { GROUPS, givenGroups } from "../user/groups.ts";

const settings = [...STORE_SETTINGS, "PUBLIC_URL"];
const EXPIRES: CommandOption = {
  name: "expires",
  value: "time",
  about: "how long the link works, such as 12h; by default 7d",
};

export const invite: Command = {
  details: "Whoever opens the link first chooses a username and a password, and is signed in.",
  options: [
    { name: "username", value: "name", about: "the username of the account" },
    GROUPS,
    EXPIRES,
    UNTIL,
  ],
  settings,
  examples: [
    "latchkey link invite --groups family",
    "latchkey link invite --username alice --expires 12h --until 2030-01-31",
  ],

  run(given, options, terminal) {
    const { username: name } = options;
    const groups = givenGroups(options.groups);
    const endsAt = givenEnd(options);
    const account = typeof name === "string" ? { name } : {};
    const ends = endsAt === undefined ? "" : `, which ends ${shownDate(endsAt)}`;
    const does = `makes an account${nameIn(account)}${placeIn(groups)}${ends}`;
    const wanted = { ...account, groups, ...(endsAt && { endsAt }) };
    return print(given, options, terminal, { purpose: "invite", usesLeft: 1, ...wanted, does });
  },
};

export const reset: Command = {
  details:
    "Whoever opens the link first chooses a new password. All sessions of the user end; one-time codes and passkeys stay.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "codes-off", about: "also turn off one-time codes" }, EXPIRES],
  settings,
  examples: ["latchkey link reset alice", "latchkey link reset alice --codes-off --expires 12h"],

  run(given, options, terminal) {
    const name = String(options.name);
    const isCodesOff = options["codes-off"] === true;
    const purpose = isCodesOff ? "reset-codes-off" : "reset";
    const does = `sets a password${nameIn({ name })}${isCodesOff ? " and turns off codes" : ""}`;
    return print(given, options, terminal, { purpose, usesLeft: 1, name, does });
  },
};

export const guest: Command = {
  details:
    "Whoever opens the link is a guest: an account without a password, for the apps that name one of its groups. It ends when the link expires, and is removed with its sessions.",
  operands: [{ name: "label", need: "required" }],
  options: [
    GROUPS,
    EXPIRES,
    { name: "for", value: "time", about: "how long each guest stays, from the use of the link" },
    { name: "uses", value: "number", about: "how many guests the link admits; by default 1" },
  ],
  settings,
  examples: [
    "latchkey link guest plumber --groups camera --expires 12h",
    "latchkey link guest party --groups photos --for 3d --uses 20",
  ],

  run(given, options, terminal) {
    const name = String(options.label);
    const groups = givenGroups(options.groups);
    const { uses = "1" } = options;
    if (!/^[1-9]\d{0,3}$/.test(String(uses))) throw new UsageError("--uses takes 1 to 9999");
    const stay = givenAge(options, "for");
    const how = stay === undefined ? "" : `, each for ${options.for}`;
    const guestSeconds = stay === undefined ? {} : { guestSeconds: stay / 1_000 };
    const wanted = { name, groups, usesLeft: Number(uses), ...guestSeconds };
    const does = `admits guests${nameIn({ name })}${placeIn(groups)}, ${uses} in all${how}`;
    return print(given, options, terminal, { purpose: "guest", ...wanted, does });
  },
};

const nameIn = ({ name }: { readonly name?: string }): string =>
  name === undefined ? "" : ` ${quoted(name)}`;
const placeIn = (groups: readonly string[]): string =>
  groups.length === 0 ? "" : ` in ${groups.join(", ")}`;

/** The link alone on standard output, its only place, and what it does on standard error. */
async function print(
  given: Settings,
  options: OptionValues,
  terminal: Terminal,
  { does, ...wanted }: Omit<WantedLink, "expiresAt"> & { readonly does: string },
): Promise<number> {
  const { publicUrl } = given;
  const expiresAt = new Date(Date.now() + (givenAge(options, "expires") ?? LINK_LIFETIME_MS));
  if (publicUrl === undefined)
    return terminal.fail("set PUBLIC_URL to the address of the gate, which the link begins with");
  return withAccounts(given, terminal, async (accounts) => {
    const isReset = wanted.purpose.startsWith("reset");
    const account = isReset ? { userId: await idOf(accounts, String(wanted.name)) } : {};
    const made = await makeLink(accounts, { ...wanted, ...account, expiresAt });
    if (made.kind === "no-account") return terminal.fail("there is no account yet: set up first");
    if (made.kind !== "made") return reportRefusal(made.kind, String(wanted.name), terminal);
    terminal.print(`${publicUrl}/link/${made.token}`);
    terminal.complain(`it ${does}; until ${shownDate(expiresAt)}, and is not shown again`);
    return SUCCESS;
  });
}
