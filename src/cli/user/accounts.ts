import type { AddUserPorts } from "../../core/accounts/accounts.ts";
import { AnyFault, messageOf } from "../../core/base/fault.ts";
import { toEntry } from "../../core/log/event-log.ts";
import { createPasswords } from "../../core/passwords/passwords.ts";
import type { StoredUser, UserId } from "../../core/records.ts";
import { printable } from "../../files/printable.ts";
import { type OpenStore, openStore } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { deleteSetupToken } from "../../gate/setup-token-file.ts";
import { type OptionValues, UsageError } from "../command.ts";
import { TOO_SHORT } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";

/** The ports that the account commands pass to the rules. Entries are written before they end. */
export interface Accounts extends AddUserPorts {
  readonly store: OpenStore;
}

/** Opens the store for a command and closes it afterwards. */
export async function withAccounts<T>(
  settings: Settings,
  terminal: Terminal,
  work: (accounts: Accounts) => Promise<T>,
  missing: "create" | "refuse" = "refuse",
): Promise<T> {
  await using store = await openStore(settings, missing);
  const clock = { now: () => Date.now() };
  /** The account has changed already, so a failure is only reported. */
  const attempt = async (what: string, step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      terminal.complain(`done, but ${what} failed: ${messageOf(error)}`);
    }
  };
  return await work({
    store,
    clock,
    passwords: createPasswords({ atOnce: 1, waiting: 0 }),
    setupToken: {
      delete: () =>
        attempt("deleting the setup token file", () => deleteSetupToken(settings.setupTokenFile)),
    },
    record: (event) =>
      attempt("writing the log entry", () => store.log.insert([toEntry(event, clock)])),
  });
}

/** The settings that select the store. */
export const STORE_SETTINGS: readonly string[] = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

export const quoted = (username: string): string => `"${printable(username)}"`;

/** The ID by which rules know the user of a command; that of nobody for an unknown name. */
export const idOf = async ({ store }: Accounts, username: string): Promise<UserId> =>
  (await store.users.findByName(username))?.id ?? ("" as UserId);

/** The only user that is asked for, if one is. */
export async function userNamed(
  { users }: OpenStore,
  name: OptionValues[string],
): Promise<StoredUser | undefined> {
  if (name === undefined) return undefined;
  const user = await users.findByName(String(name));
  if (user === undefined) throw new AnyFault("no_user", `there is no user "${name}"`);
  return user;
}

/** Why a rule has changed nothing. */
type Refusal =
  | "no-user"
  | "guest"
  | "last-user"
  | "last-admin"
  | "username-missing"
  | "label-missing"
  | "groups-missing"
  | "username-taken"
  | "first-ends"
  | "password-too-short";

/** Prints why nothing has changed, and returns the exit code. */
export function reportRefusal(refusal: Refusal, username: string, terminal: Terminal): number {
  switch (refusal) {
    case "no-user":
      return terminal.fail(`there is no user "${username}"`);
    case "guest":
      return terminal.fail(`"${username}" is a guest, who has no password: invite the person`);
    case "last-user":
      return terminal.fail(
        `"${username}" is the last user and cannot be removed: without an account, anyone could set up this server`,
      );
    case "last-admin":
      return terminal.fail(
        `"${username}" is the last administrator: add another user to the group admins first`,
      );
    case "username-missing":
      throw new UsageError("a user needs a name");
    case "label-missing":
      throw new UsageError("a guest needs a label");
    case "groups-missing":
      throw new UsageError("a guest needs --groups");
    case "username-taken":
      return terminal.fail(`there is already a user "${username}"`);
    case "first-ends":
      return terminal.fail(`"${username}" is the first user and cannot end`);
    case "password-too-short":
      return terminal.fail(TOO_SHORT);
  }
}
