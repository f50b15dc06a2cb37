import type { Account } from "../db/records.ts";
import type { SetProfileOutcome } from "../features/profile/set-profile.ts";
import { settleSecret } from "../gate/make-secret-file.ts";
import { type DisposableStore, openExistingStore, openStore } from "../gate/open-store.ts";
import { Fault, getErrorCode, getErrorMessage } from "../lib/fault.ts";
import { toPrintableJson } from "../lib/files/printable.ts";
import { isUsableUsername } from "../lib/names.ts";
import {
  createAccountCommand,
  createAccounts,
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
import { type Command, type Operand, type OptionValues, SUCCESS, UsageError } from "./command.ts";
import { createListCommand, formatMinute, formatRows, JSON_LINES } from "./listing.ts";
import { confirm, PASSWORD_STDIN, readNewPassword } from "./prompt.ts";

const NAME: Operand = { name: "name", need: "required" };
/** For commands with an option for another name. */
const USER: Operand = { name: "user", need: "required" };

/** Lists users without their password hashes. */
/** Returns the profile for JSON, in which every field is present. */
const toProfileFacts = ({
  name,
  email,
  emailVerified,
}: Pick<Account, "name" | "email" | "emailVerified">) => ({
  name: name ?? null,
  email: email ?? null,
  emailVerified: emailVerified ?? null,
});

export const list: Command = createListCommand<Account>({
  details: "In the order of their IDs.",
  examples: ["latchkey user list", "latchkey user list --json"],
  async *read({ users }) {
    for await (const user of users.list()) yield [user];
  },
  columns: { NAME: 0, GROUPS: 0, END: 0, ID: 0 },
  toCells: ({ id, username, groups = [], endsAt }) => [
    ...[username, groups.join(","), endsAt ? formatMinute(endsAt) : "", id],
  ],
  toObject: ({ id, username, sessionsFrom = null, groups = [], endsAt = null, ...user }) => {
    const { guest = false } = user;
    return { id, username, sessionsFrom, groups, endsAt, guest, ...toProfileFacts(user) };
  },
});

export const add: Command = {
  details: "Asks for the password twice. The first user closes the setup page.",
  operands: [NAME],
  options: [
    PASSWORD_STDIN,
    GROUPS,
    UNTIL,
    { name: "create", about: "create a missing database, or the tables in an empty one" },
  ],
  settings: [...STORE_SETTINGS, "SETUP_TOKEN_FILE"],
  examples: [
    "latchkey user add alice",
    "latchkey user add alice --password-stdin < password-file",
    "latchkey user add alice --password-stdin --create < password-file",
  ],

  async run(settings, options, terminal) {
    const username = String(options.name);
    const endsAt = parseEnd(options);
    const facts = { groups: parseGroups(options), ...(endsAt && { endsAt }) };
    if (username === "") throw createRefusal("username-missing", username);
    if (!isUsableUsername(username)) throw createRefusal("username-invalid", username);
    await using existing = await (options.create === true
      ? openExistingStore(settings)
      : openStore(settings, "refuse").catch(addCreateHint));
    // This check precedes the password prompt. Adding the user checks the name again.
    if (existing !== undefined) await requireFreeName(existing.users, username);
    const password = await readNewPassword(terminal.system, options);
    // The store is created only now, so that a cancelled command leaves no database.
    await using created = new AsyncDisposableStack();
    const store = existing ?? created.use(await openStore(settings, "create"));
    const { users } = createAccounts(store, await settleSecret(settings), terminal);
    const { kind } = await users.add({ username, password, ...facts });
    if (kind !== "added") throw createRefusal(kind, username);
    const code = terminal.succeed(`Created user ${quote(username)}.`);
    nameDatabase(settings, terminal);
    return code;
  },
};

async function requireFreeName(users: DisposableStore["users"], username: string): Promise<void> {
  if ((await users.findByName(username)) !== undefined)
    throw createRefusal("username-taken", username);
  if (await users.isNameUsed(username)) throw createRefusal("username-used", username);
}

function addCreateHint(error: unknown): never {
  if (getErrorCode(error) !== "database_missing") throw error;
  const text = `${getErrorMessage(error)}: --create sets it up with this user`;
  throw new Fault("database_missing", text, { cause: error });
}

export const password: Command = createAccountCommand({
  details:
    "Asks for the new password twice, and not for the old one. All sessions of the user end, and so do remembered devices and links for a new password. Passkeys, one-time codes and keys stay.",
  operands: [NAME],
  options: [PASSWORD_STDIN, { name: "keep-sessions", about: "do not end the sessions" }],
  examples: [
    "latchkey user password alice",
    "latchkey user password alice --keep-sessions",
    "latchkey user password alice --password-stdin < password-file",
  ],

  async change(accounts, options) {
    // This check precedes the password prompt.
    const { id } = await findUser(accounts, options.name);
    const newPassword = await readNewPassword(accounts.terminal.system, options);
    const outcome = await accounts.users.setPassword(id, newPassword);
    if (outcome !== "reset") throw createRefusal(outcome, options.name);
    const done = `Set a new password for user ${quote(options.name)}`;
    if (options["keep-sessions"] === true) return `${done}.`;
    await accounts.sessions.endAll(id).catch((error) => {
      const text = `the password is set, but the sessions have not ended: ${getErrorMessage(error)}; run latchkey user sign-out`;
      throw new Fault(getErrorCode(error) ?? "sessions_not_ended", text, { cause: error });
    });
    return `${done}, and ended all sessions.`;
  },
});

export const groups: Command = createAccountCommand({
  details:
    "Replaces the groups of a user; an empty text removes all. A group has up to 32 lower-case letters, digits and hyphens, and a user up to 32 groups. Gates notice it within a second.",
  operands: [NAME, { name: "groups", need: "required" }],
  examples: ["latchkey user groups alice family,photos", 'latchkey user groups alice ""'],

  check: parseGroups,

  async change(accounts, options) {
    const names = parseGroups(options);
    const { id, username } = await findUser(accounts, options.name);
    const outcome = await accounts.users.setGroups(id, names);
    if (outcome !== "set") throw createRefusal(outcome, username);
    const shown = names.length === 0 ? "no groups" : `the groups ${names.join(", ")}`;
    return `User ${quote(username)} has ${shown}.`;
  },
});

export const set: Command = createAccountCommand({
  details:
    "Apps get the name and the e-mail address with the next sign-in. They identify nobody: no one can sign in with them. A new address is unverified; many apps accept only verified ones. An empty value removes what is set.",
  operands: [USER],
  options: [
    { name: "name", value: "text", about: "the name that apps show", acceptsEmpty: true },
    { name: "email", value: "address", about: "the e-mail address", acceptsEmpty: true },
    { name: "email-verified", about: "the address was verified" },
    { name: "email-unverified", about: "the address was not verified" },
  ],
  examples: [
    'latchkey user set alice --name "Alice Example" --email alice@example.org --email-verified',
    'latchkey user set alice --email ""',
  ],
  check(options) {
    if (options["email-verified"] === true && options["email-unverified"] === true)
      throw new UsageError("--email-verified and --email-unverified exclude each other");
    const given = ["name", "email", "email-verified", "email-unverified"];
    if (given.every((name) => options[name] === undefined))
      throw new UsageError("user set needs an option that says what to set");
  },

  async change(accounts, options) {
    const { id, username } = await findUser(accounts, options.user);
    const outcome = await accounts.users.setProfile(id, {
      name: toText(options.name),
      email: toText(options.email),
      emailIs: readVerification(options),
    });
    if (outcome !== "set") throw createProfileError(outcome, options);
    return `Set the profile of user ${quote(username)}.`;
  },
});

const toText = (value: OptionValues[string]): string | undefined =>
  typeof value === "string" ? value : undefined;

function readVerification(options: OptionValues): "verified" | "unverified" | undefined {
  if (options["email-verified"] === true) return "verified";
  return options["email-unverified"] === true ? "unverified" : undefined;
}

/** Creates the error for a profile that is not set. */
export function createProfileError(
  outcome: Exclude<SetProfileOutcome, "set">,
  { user, name, email }: OptionValues,
): Error {
  switch (outcome) {
    case "no-user":
      return createRefusal("no-user", user);
    case "guest":
      return createRefusal("no-profile", user);
    case "changed-meanwhile":
      return createRefusal(outcome, user);
    case "email-taken":
      return createRefusal("email-taken", email);
    case "name-invalid":
      return new UsageError(
        `the name ${quote(name)} is not accepted: it has at most 255 bytes and no control characters`,
      );
    case "email-invalid":
      return new UsageError(
        `the address ${quote(email)} is not accepted: write one such as alice@example.org, with at most 254 characters`,
      );
    case "email-missing":
      return new UsageError("there is no address to be verified: set it with --email");
  }
}

export const show: Command = {
  details: "Shows what is known of an account, without its password hash.",
  operands: [USER],
  options: [JSON_LINES],
  settings: STORE_SETTINGS,
  examples: ["latchkey user show alice", "latchkey user show alice --json"],

  async run(settings, { user: name, json }, terminal) {
    await using accounts = await openAccounts(settings, terminal, "read");
    const { id, username, groups = [], endsAt, ...user } = await findUser(accounts, name);
    if (json === true) {
      const facts = { id, username, groups, endsAt: endsAt ?? null };
      terminal.print(toPrintableJson({ ...facts, ...toProfileFacts(user) }));
      return SUCCESS;
    }
    const verification = user.emailVerified === true ? "verified" : "unverified";
    const rows = {
      ID: id,
      Username: username,
      Name: user.name,
      "E-mail": user.email && `${user.email} (${verification})`,
      Groups: groups.join(", "),
      End: endsAt && formatMinute(endsAt),
    };
    await terminal.printAll(formatRows(rows));
    return SUCCESS;
  },
};

export const rename: Command = createAccountCommand({
  details:
    "Its sessions stay valid. No other user can have the old name, as long as it is not freed.",
  operands: [
    { name: "from", need: "required" },
    { name: "to", need: "required" },
  ],
  examples: ["latchkey user rename alice alice.smith"],

  async change(accounts, { from, to }) {
    const { id } = await findUser(accounts, from);
    const outcome = await accounts.users.rename(id, String(to));
    if (outcome !== "renamed") throw createRefusal(outcome, outcome === "no-user" ? from : to);
    return `Renamed user ${quote(from)} to ${quote(to)}.`;
  },
});

export const remove: Command = createAccountCommand({
  details:
    "Asks first. Its sessions end. The last user cannot be removed. No other user can have its name, as long as it is not freed.",
  operands: [NAME],
  options: [{ name: "yes", about: "do not ask for confirmation" }],
  examples: ["latchkey user remove alice", "latchkey user remove alice --yes"],

  async change(accounts, { name, yes }) {
    const { users, terminal } = accounts;
    const { id } = await findUser(accounts, name);
    // This check precedes the confirmation. The store checks again when it removes the user.
    const all = users.list()[Symbol.asyncIterator]();
    await all.next();
    if ((await all.next()).done === true) throw createRefusal("last-user", name);
    const question = `Remove user ${quote(name)}?`;
    if (yes !== true && !(await confirm(terminal.system, question, "--yes"))) {
      throw new Fault("not_confirmed", "nothing was removed");
    }
    const outcome = await users.remove(id);
    if (outcome !== "removed") throw createRefusal(outcome, name);
    return `Removed user ${quote(name)}.`;
  },
});

export const forgetName: Command = createAccountCommand({
  details:
    "Frees the name of a user that was removed or renamed, in all spellings. Apps that know users by their name take the next one with it for the former one, with all that it had there.",
  operands: [NAME],
  examples: ["latchkey user forget-name alice"],

  async change({ users }, { name }) {
    const outcome = await users.forgetName(String(name));
    if (outcome === "username-taken") throw createRefusal("name-held", name);
    if (outcome === "no-name") throw createRefusal(outcome, name);
    return `Freed the name ${quote(name)}.`;
  },
});

export const codesOff: Command = createAccountCommand({
  details:
    "For a lost phone: the next sign-in needs the password only. With --passkeys, the sessions end too.",
  operands: [NAME],
  options: [{ name: "passkeys", about: "also remove all passkeys, and end all sessions" }],
  examples: ["latchkey user codes off alice", "latchkey user codes off alice --passkeys"],

  async change(accounts, { name, passkeys }) {
    const { id } = await findUser(accounts, name);
    const { turnOffCodes, removeAll } = accounts.factors;
    switch (await (passkeys === true ? removeAll : turnOffCodes)(id)) {
      case "no-user":
        throw createRefusal("no-user", name);
      case "already-off":
        return `User ${quote(name)} does not use one-time codes.`;
      case "off":
        return `Turned off the one-time codes of user ${quote(name)}.`;
      case "ended":
        return `Removed the one-time codes, remembered devices and passkeys of user ${quote(name)}, and ended all sessions.`;
    }
  },
});
