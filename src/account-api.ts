import { type AddedUser, checkUser, requireText, requireTexts } from "./api-arguments.ts";
import {
  type AddUserOutcome,
  type AddUserPorts,
  addUser,
  endFactors,
  forgetName,
  type RemoveUserOutcome,
  type RenameUserOutcome,
  type ResetPasswordOutcome,
  removeCodes,
  removeUser,
  renameUser,
  resetPassword,
} from "./core/accounts/accounts.ts";
import { type SetGroupsOutcome, setGroups } from "./core/accounts/set-groups.ts";
import type { Ports } from "./core/ports.ts";
import { pagesOf } from "./core/transfer/pages.ts";
import { type Account, accountOf, idOf, type UserId } from "./db/records.ts";
import type { StoreParts } from "./db/store.ts";
import { type AllSessionPorts, createAllSessions, type Sessions } from "./session-api.ts";
import { createKeys, createLinks, type Keys, type Links } from "./token-api.ts";

/**
 * The accounts, for the app's own pages and scripts. The rules are those of the commands, and every
 * change is in the audit log. No permission is checked: that is the task of the caller.
 */
export interface Users {
  /** The first account closes the setup. */
  add(user: AddedUser): Promise<AddUserOutcome>;
  /** Also an account that has ended, as its `endsAt` says: it cannot sign in. */
  find(id: string): Promise<Account | undefined>;
  /** The same by its username, an exact match. */
  findByUsername(username: string): Promise<Account | undefined>;
  /** All, also those that have ended, in the order of their IDs. */
  list(): AsyncIterable<Account>;
  rename(id: string, username: string): Promise<RenameUserOutcome>;
  /** Needs no old password. Sessions stay. */
  setPassword(id: string, password: string): Promise<ResetPasswordOutcome>;
  /** In place of those that it has. */
  setGroups(id: string, groups: readonly string[]): Promise<SetGroupsOutcome>;
  /** With its sessions. Its username stays used: no other account can have it. */
  remove(id: string): Promise<RemoveUserOutcome>;
  /**
   * Frees a username that an account had, in all spellings. Apps that know accounts by their name take
   * whoever gets it for the earlier one.
   */
  forgetName(username: string): Promise<"username-taken" | "no-name" | "forgotten">;
}

/** The second factors of accounts, for a person who has lost them. */
export interface SecondFactors {
  /** Turns one-time codes off. Also ends what was begun. */
  turnOffCodes(userId: string): Promise<"no-user" | "already-off" | "off">;
  /** Removes one-time codes, remembered devices and passkeys, and ends every session. */
  removeAll(userId: string): Promise<"no-user" | "ended">;
}

/** What an Auth object has for the app's own pages and scripts. */
export interface AccountApi {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly keys: Keys;
  readonly factors: SecondFactors;
}

/** What the members need. `record` says who did it. */
export interface ApiPorts extends AllSessionPorts, AddUserPorts {
  readonly store: StoreParts;
}

export function createAccountApi(ports: ApiPorts): AccountApi {
  return {
    users: createUsers(ports),
    sessions: createAllSessions(ports),
    links: createLinks(ports),
    keys: createKeys(ports),
    factors: createFactors(ports),
  };
}

const shown = async (
  found: ReturnType<StoreParts["users"]["find"]>,
): Promise<Account | undefined> => {
  const user = await found;
  return user && accountOf(user);
};

export function createUsers(ports: AddUserPorts): Users {
  const { users } = ports.store;
  return Object.freeze<Users>({
    async add(given) {
      const { username, password, ...facts } = checkUser(given);
      return addUser(ports, username, password, facts);
    },
    find: async (id) => shown(users.find(checkId(id))),
    findByUsername: async (username) => shown(users.findByName(requireText("username", username))),
    async *list() {
      for await (const page of pagesOf(users.read)) yield* page.map(accountOf);
    },
    rename: async (id, username) =>
      renameUser(ports, checkId(id), requireText("username", username)),
    setPassword: async (id, password) =>
      resetPassword(ports, checkId(id), requireText("password", password)),
    setGroups: async (id, groups) => setGroups(ports, checkId(id), requireTexts("groups", groups)),
    remove: async (id) => removeUser(ports, checkId(id)),
    forgetName: async (username) => forgetName(ports, requireText("username", username)),
  });
}

const checkId = (id: unknown): UserId => idOf(requireText("id", id));

export const createFactors = (ports: Ports<"clock" | "record", "users" | "codes">): SecondFactors =>
  Object.freeze<SecondFactors>({
    turnOffCodes: async (userId) => removeCodes(ports, idOf(requireText("userId", userId))),
    removeAll: async (userId) => endFactors(ports, idOf(requireText("userId", userId))),
  });
