import {
  createApps,
  createFactors,
  createKeys,
  createLinks,
  createSessionAdministration,
  createSignUps,
  createUsers,
  type Keys,
  type Links,
  type ManagedApps,
  type SecondFactors,
  type Sessions,
  type SignUps,
  type Users,
} from "../account-api.ts";
import { toLogEntry } from "../audit/event-log.ts";
import { attributeToOperator, type NewAuditEvent } from "../audit/events.ts";
import { formatDatabaseLocation } from "../db/location.ts";
import type { Kept } from "../db/queries/users.ts";
import type { Account } from "../db/records.ts";
import { type SetSecretOutcome, setAppSecret } from "../features/apps/manage-apps.ts";
import { settleSecret } from "../gate/make-secret-file.ts";
import { type Access, type DisposableStore, openStore } from "../gate/open-store.ts";
import { type Settings, toNotifyOptions } from "../gate/settings/settings.ts";
import { deleteTokens } from "../gate/setup-state.ts";
import { NO_CACHE } from "../identity/credential-cache.ts";
import { normalizeGroups } from "../identity/groups.ts";
import { createPasswords } from "../identity/passwords.ts";
import { createSeals, type Seals } from "../identity/seals.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import { parseFutureDate } from "../lib/dates.ts";
import { Fault, getErrorMessage } from "../lib/fault.ts";
import { toPrintable } from "../lib/files/printable.ts";
import { createMessaging } from "../mail/messaging.ts";
import {
  type Command,
  type CommandOption,
  type OptionValues,
  type Terminal,
  UsageError,
} from "./command.ts";

/** Lists the settings that select the store. */
export const STORE_SETTINGS: readonly string[] = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

/**
 * Provides the account functions that apps have. Log entries are written before a change returns.
 */
export interface Accounts extends AsyncDisposable {
  readonly users: Users;
  readonly sessions: Omit<Sessions, "create">;
  readonly links: Links;
  readonly signUps: SignUps;
  readonly keys: Keys;
  readonly factors: SecondFactors;
  readonly apps: ManagedApps;
  /** Gives an app a secret that was made elsewhere. */
  setAppSecret(id: string, secret: string): Promise<SetSecretOutcome>;
  readonly terminal: Terminal;
}

/** Opens the store for a command. `await using` closes it. */
export async function openAccounts(
  settings: Settings,
  terminal: Terminal,
  access: Access = "refuse",
): Promise<Accounts> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStore(settings, access));
  // Where nothing may be written, there may be no secret to read with.
  const settled = access === "read" ? settings : await settleSecret(settings);
  opened.move();
  return createAccounts(store, settled, terminal);
}

/** Creates seals that the gate with the same settings opens. */
export const createCommandSeals = ({ secret, previousSecrets }: Settings): Seals =>
  createSeals(secret || DEVELOPMENT_SECRET, previousSecrets);

/**
 * Returns what a command can do with an open store.
 *
 * @param keep protects the last administrator. Without it, the operator can do everything.
 */
export function createAccounts(
  store: DisposableStore,
  settings: Settings,
  terminal: Terminal,
  keep?: Kept,
): Accounts {
  const clock = { now: () => Date.now() };
  /** Runs a step after the account has changed, so a failure is only reported. */
  const attempt = async (what: string, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      terminal.complain(`done, but ${what} failed: ${getErrorMessage(error)}`);
    }
  };
  const seals = createCommandSeals(settings);
  const { smtpUrl, locale } = settings;
  const log = { warn() {}, error: (_: object, message: string) => terminal.complain(message) };
  const { mailing, tell } = createMessaging(
    { store, clock, seals, log },
    {
      mail: smtpUrl === undefined ? "off" : "on",
      locale,
      events: toNotifyOptions(settings)?.events,
    },
  );
  const services = {
    store,
    clock,
    mailing,
    ...(keep !== undefined && { keep }),
    // A command keeps no apps in memory.
    appDirectory: { forget() {} },
    // With another secret than the gate's, devices that a new password has ended are listed too.
    seals,
    passwords: createPasswords({ atOnce: 1, waiting: 0 }),
    credentialCache: NO_CACHE,
    setupToken: {
      delete: () =>
        attempt("deleting the setup token", () => deleteTokens(store, settings.setupTokenFile)),
    },
    record: (event: NewAuditEvent) =>
      attempt("writing the log entry", async () => {
        const entries = [toLogEntry(attributeToOperator(event), clock)];
        await tell(entries);
        await store.log.insert(entries);
      }),
  };
  return {
    terminal,
    users: createUsers(services),
    sessions: createSessionAdministration(services),
    links: createLinks(services),
    signUps: createSignUps(services),
    keys: createKeys(services),
    factors: createFactors(services),
    apps: createApps(services),
    setAppSecret: (id, secret) => setAppSecret(services, id, secret),
    [Symbol.asyncDispose]: store[Symbol.asyncDispose],
  };
}

interface AccountCommand extends Omit<Command, "settings" | "run"> {
  /** Lists settings in addition to those that select the store. */
  readonly settings?: readonly string[];
  /** Refuses wrong usage before the store is opened. */
  check?(options: OptionValues): unknown;
  /** Resolves to the line that reports what the command has done. */
  change(accounts: Accounts, options: OptionValues): Promise<string>;
}

/**
 * Names the database that a command has used, because its DATA_DIR can differ from the gate's. The
 * name goes to standard error, so that scripts can read standard output.
 */
export const nameDatabase = ({ database }: Settings, terminal: Terminal): void =>
  terminal.complain(`the database is ${formatDatabaseLocation(database)}`);

/** Creates a command that changes accounts. */
export const createAccountCommand = ({
  check,
  change,
  settings: others = [],
  ...command
}: AccountCommand): Command => ({
  ...command,
  settings: [...STORE_SETTINGS, ...others],

  async run(settings, options, terminal) {
    check?.(options);
    await using accounts = await openAccounts(settings, terminal);
    const code = terminal.succeed(await change(accounts, options));
    nameDatabase(settings, terminal);
    return code;
  },
});

export const quote = (text: OptionValues[string]): string => `"${toPrintable(String(text))}"`;

export async function findUser({ users }: Accounts, name: OptionValues[string]): Promise<Account> {
  const user = await users.findByUsername(String(name));
  if (user === undefined) throw createRefusal("no-user", name);
  return user;
}

/** Lists all users, or only the user with the given name. */
export async function* listUsers(
  accounts: Accounts,
  name: OptionValues[string],
): AsyncIterable<Account> {
  if (name === undefined) yield* accounts.users.list();
  else yield await findUser(accounts, name);
}

/** Explains why the account functions have changed nothing. */
const refusals = {
  "no-user": "there is no user {name}",
  guest: "{name} is a guest, who has no password: invite the person",
  "no-profile": "{name} is a guest, who has no profile",
  "email-taken": "another user has verified the address {name}",
  "changed-meanwhile": "others keep changing the profile of {name}: try again",
  "last-user":
    "{name} is the last user and cannot be removed: without an account, anyone could set up this server",
  "last-admin": "{name} is the last administrator: add another user to the group admins first",
  "username-taken": "there is already a user {name}",
  "username-used":
    "{name} was the name of another user, or is too similar to one: apps could take the new user for the other one. Choose another name, or free this one with latchkey user forget-name",
  "name-held": "a user has the name {name} or one like it: rename or remove that user first",
  "no-name": "no user had the name {name}",
  "first-ends": "{name} is the first user and cannot end",
  "password-too-short": "the password is too short",
  "no-account": "there is no account yet: set up first",
  "too-many": "{name} has too many keys: revoke one",
  "no-key": "there is no key {name}",
  "no-link": "there is no link {name}",
  "no-request": "there is no request {name}",
  "request-name-taken":
    "another user has or had the name {name}, or one like it: decline the request, and the person can ask with another name",
  "identity-taken":
    "the account with which {name} would sign in is linked with another user: decline the request",
  "no-mail": "set SMTP_URL, with which the gate sends mail",
  "no-session": "there is no session or remembered device {name}",
  "app-unknown": "there is no app {name}",
  "app-without-groups":
    "the app {name} requires no group, so no guest can open it: give the app a group, or invite the person",
  "app-needs-factor": "the app {name} needs a second factor, which no guest has: invite the person",
  "app-for-admins":
    "only administrators open the app {name}: invite the person with --groups admins, or give the app another group",
} as const;

/** Explains mistakes in the arguments. */
const mistakes = {
  "username-missing": "a user needs a name",
  "username-invalid":
    "a username has up to 255 bytes, no space at its ends, no control or invisible characters, and letters of one script",
  "name-missing": "a key needs a name",
  "name-invalid": "a name has up to 255 bytes and no control characters",
  "label-missing": "a guest needs a label",
  "label-invalid":
    "a label has up to 240 bytes, no space at its ends, no control or invisible characters, and letters of one script",
  "email-invalid": "an e-mail address is one such as ada@example.org, without spaces and quotes",
  "groups-missing": "a guest needs --groups or --app",
  "groups-invalid":
    "groups are up to 32 names of lower-case letters, digits and hyphens, with commas between them",
  "host-invalid": "--hosts takes host names without a port, with commas between them",
} as const;

/**
 * Creates the error for an outcome that changes nothing.
 * @param name The name of the user, link or key that the error is about.
 */
export function createRefusal(
  refusal: keyof typeof refusals | keyof typeof mistakes,
  name: OptionValues[string],
): Error {
  if (refusal in mistakes) return new UsageError(mistakes[refusal as keyof typeof mistakes]);
  const text = refusals[refusal as keyof typeof refusals];
  return new Fault(
    "refused",
    text.replace("{name}", () => `"${name}"`),
  );
}

export const GROUPS: CommandOption = {
  name: "groups",
  value: "groups",
  about: "with commas between them, such as family,photos",
};

export function parseGroups({ groups: text = "" }: OptionValues): readonly string[] {
  const groups = normalizeGroups(String(text).split(","));
  if (groups === "invalid") throw createRefusal("groups-invalid", text);
  return groups;
}

export const UNTIL: CommandOption = {
  name: "until",
  value: "date",
  about: "when the account ends, as if it were removed: a date such as 2030-01-31, or with a time",
};

export function parseEnd({ until }: OptionValues): Date | undefined {
  const end = parseFutureDate(String(until), Date.now());
  if (until === undefined || end !== undefined) return end;
  throw new UsageError("--until takes a date to come, such as 2030-01-31 or 2030-01-31T18:00");
}
