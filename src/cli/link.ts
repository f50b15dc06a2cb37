import type { Link } from "../db/records.ts";
import { LINK_LIFETIME_MS, type WantedLink } from "../features/links/make-link.ts";
import { age } from "../gate/settings/values.ts";
import {
  createAccountCommand,
  createRefusal,
  findUser,
  GROUPS,
  nameDatabase,
  openAccounts,
  parseEnd,
  parseGroups,
  quote,
  STORE_SETTINGS,
  UNTIL,
} from "./accounts.ts";
import {
  type Command,
  type CommandOption,
  type OptionValues,
  SUCCESS,
  UsageError,
} from "./command.ts";
import { createListCommand, formatMinute } from "./listing.ts";

const EXPIRES: CommandOption = {
  name: "expires",
  value: "time",
  about: "how long the link works, such as 12h; by default 7d",
};

interface LinkCommand extends Omit<Command, "settings" | "run"> {
  /** Returns the link to create. `does` explains its effect and completes "it …". */
  readLink(options: OptionValues): Omit<WantedLink, "expiresAt"> & {
    readonly does: (link: Pick<Link, "groups" | "apps">) => string;
  };
}

const APPS: CommandOption = {
  name: "app",
  value: "id",
  about: "an app to open, whose first group is added; several with commas between them",
  repeats: true,
};

const parseApps = ({ app = [] }: OptionValues): readonly string[] =>
  [app]
    .flat()
    .flatMap((ids) => String(ids).split(","))
    .map((id) => id.trim())
    .filter((id) => id !== "");

/**
 * Creates a command that prints only the link on standard output, and its effect on standard error.
 * The link is not shown anywhere else.
 */
const createLinkCommand = ({ readLink, ...command }: LinkCommand): Command => ({
  ...command,
  settings: [...STORE_SETTINGS, "PUBLIC_URL", "SMTP_URL", "SMTP_URL_FILE"],

  async run(settings, optionValues, terminal) {
    const { does, ...link } = readLink(optionValues);
    const expiresAt = new Date(
      Date.now() + (parseAgeOption(optionValues, "expires") ?? LINK_LIFETIME_MS),
    );
    if (settings.publicUrl === undefined)
      return terminal.fail("set PUBLIC_URL to the address of the gate, which the link begins with");
    await using accounts = await openAccounts(settings, terminal);
    const isReset = link.purpose.startsWith("reset");
    const userFields = isReset ? { userId: (await findUser(accounts, link.name)).id } : {};
    const outcome = await accounts.links.make({ ...link, ...userFields, expiresAt });
    if ("app" in outcome) throw createRefusal(outcome.kind, outcome.app);
    if (outcome.kind === "email-invalid" || outcome.kind === "email-taken")
      throw createRefusal(outcome.kind, link.email);
    if (outcome.kind !== "made") throw createRefusal(outcome.kind, link.name);
    if (link.email !== undefined) terminal.complain(`a gate sends it to ${link.email}`);
    terminal.print(`${settings.publicUrl}/link/${outcome.token}`);
    terminal.complain(
      `it ${does(outcome.link)}; until ${formatMinute(expiresAt)}, and is not shown again`,
    );
    nameDatabase(settings, terminal);
    return SUCCESS;
  },
});

export const invite: Command = createLinkCommand({
  details: "Whoever opens the link first chooses a username and a password, and is signed in.",
  options: [
    { name: "username", value: "name", about: "the username of the account" },
    GROUPS,
    APPS,
    { name: "mail", value: "address", about: "send the link to this e-mail address" },
    EXPIRES,
    UNTIL,
  ],
  examples: [
    "latchkey link invite --groups family",
    "latchkey link invite --username alice --expires 12h --until 2030-01-31",
  ],

  readLink(options) {
    const { username: name } = options;
    const groups = parseGroups(options);
    const endsAt = parseEnd(options);
    const { mail: email } = options;
    const account = {
      ...(typeof name === "string" && { name }),
      ...(typeof email === "string" && { email }),
    };
    const ends = endsAt === undefined ? "" : `, which ends ${formatMinute(endsAt)}`;
    const does = (link: Pick<Link, "groups" | "apps">) =>
      `makes an account${formatName(name)}${formatReach(link)}${ends}`;
    const access = { groups, apps: parseApps(options) };
    return {
      purpose: "invite",
      usesLeft: 1,
      ...account,
      ...access,
      ...(endsAt && { endsAt }),
      does,
    };
  },
});

export const reset: Command = createLinkCommand({
  details:
    "Whoever opens the link first chooses a new password. All sessions of the user end; one-time codes and passkeys stay.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "codes-off", about: "also turn off one-time codes" }, EXPIRES],
  examples: ["latchkey link reset alice", "latchkey link reset alice --codes-off --expires 12h"],

  readLink({ name, "codes-off": isCodesOff }) {
    const purpose = isCodesOff === true ? "reset-codes-off" : "reset";
    const does = () =>
      `sets a password${formatName(name)}${isCodesOff === true ? " and turns off codes" : ""}`;
    return { purpose, usesLeft: 1, name: String(name), does };
  },
});

export const guest: Command = createLinkCommand({
  details:
    "Whoever opens the link is a guest: an account without a password, for the apps that name one of its groups. With --app, the browser continues at that app. It ends when the link expires, and is removed with its sessions.",
  operands: [{ name: "label", need: "required" }],
  options: [
    GROUPS,
    APPS,
    EXPIRES,
    { name: "for", value: "time", about: "how long each guest stays, from the use of the link" },
    { name: "uses", value: "number", about: "how many guests the link admits; by default 1" },
  ],
  examples: [
    "latchkey link guest plumber --groups camera --expires 12h",
    "latchkey link guest party --groups photos --for 3d --uses 20",
    "latchkey link guest plumber --app camera --expires 12h",
  ],

  readLink(options) {
    const { label, uses = "1" } = options;
    const groups = parseGroups(options);
    if (!/^[1-9]\d{0,3}$/.test(String(uses))) throw new UsageError("--uses takes 1 to 9999");
    const stay = parseAgeOption(options, "for");
    const how = stay === undefined ? "" : `, each for ${options.for}`;
    const does = (link: Pick<Link, "groups" | "apps">) =>
      `admits guests${formatName(label)}${formatReach(link)}, ${uses} in all${how}`;
    const guestSeconds = stay === undefined ? {} : { guestSeconds: stay / 1_000 };
    const access = { groups, apps: parseApps(options) };
    const guestLink = { name: String(label), ...access, usesLeft: Number(uses), ...guestSeconds };
    return { purpose: "guest", ...guestLink, does };
  },
});

const formatName = (name: OptionValues[string]): string =>
  name === undefined ? "" : ` ${quote(name)}`;
const formatReach = ({ groups = [], apps = [] }: Pick<Link, "groups" | "apps">): string =>
  `${groups.length === 0 ? "" : ` in ${groups.join(", ")}`}${apps.length === 0 ? "" : ` for ${apps.join(", ")}`}`;

const MAX_AGE_MS = 365 * 86_400_000;

/** Parses an option such as `--expires 7d` to milliseconds. */
function parseAgeOption(options: OptionValues, name: string): number | undefined {
  const ms = age.parse(String(options[name]), {});
  if (options[name] === undefined || (ms !== undefined && ms <= MAX_AGE_MS)) return ms;
  throw new UsageError(`--${name} takes a time such as 12h or 7d, at most 365d`);
}

export const list: Command = createListCommand<Link>({
  details: "Lists the links that can be used, without their tokens, which are not stored.",
  examples: ["latchkey link list", "latchkey link list --json"],
  async *read({ links }) {
    for await (const link of links.list()) yield [link];
  },
  columns: { PURPOSE: 0, NAME: 0, GROUPS: 0, EXPIRES: 16, USES: 0, "MADE BY": 0, ID: 0 },
  toCells: ({ id, purpose, expiresAt, usesLeft, name = "", groups = [], madeBy = "" }) => [
    ...[purpose, name, groups.join(","), formatMinute(expiresAt), String(usesLeft), madeBy, id],
  ],
  toObject: ({ tokenHash: _, userId: __, makerValidUpTo: ___, ...link }) => link,
});

export const revoke: Command = createAccountCommand({
  details: "The link stops working on every instance. Accounts that it has made stay.",
  operands: [{ name: "id", need: "required" }],
  examples: ["latchkey link revoke 5f0c1d7f7d9e4a3b"],

  async change(accounts, { id }) {
    if ((await accounts.links.revoke(String(id))) === "no-link") throw createRefusal("no-link", id);
    return `Revoked the link ${quote(id)}.`;
  },
});
