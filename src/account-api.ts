import {
  type AddedUser,
  checkKey,
  checkLink,
  checkUser,
  requireText,
  requireTexts,
} from "./api-arguments.ts";
import { createAuditEvent, type EventType, type NewAuditEvent } from "./audit/events.ts";
import { readPagesById } from "./db/read-pages.ts";
import {
  type Account,
  type Device,
  idOf,
  type Key,
  type Link,
  type Session,
  type StoredUser,
  toAccount,
  toPublicUser,
  type UserId,
} from "./db/records.ts";
import type { StoreParts } from "./db/store.ts";
import { listDevices } from "./features/codes/remembered-devices.ts";
import {
  type AddedKey,
  type AddKeyOutcome,
  addKey,
  revokeKey,
} from "./features/keys/manage-keys.ts";
import {
  type MakeLinkOutcome,
  makeLink,
  revokeLink,
  type WantedLink,
} from "./features/links/make-link.ts";
import {
  type AddUserOutcome,
  type AddUserServices,
  addUser,
  endAllSessions,
  endUserSessions,
  forgetName,
  type RemoveUserOutcome,
  type RenameUserOutcome,
  type ResetPasswordOutcome,
  removeCodes,
  removeFactors,
  removeUser,
  renameUser,
  resetPassword,
} from "./features/people/accounts.ts";
import { type SetGroupsOutcome, setGroups } from "./features/people/set-groups.ts";
import { fetchRequest } from "./http/fetch-request.ts";
import type { ProxyTrust } from "./http/remote-address.ts";
import { createSessionCookies, SESSION_COOKIE } from "./http/session-cookie.ts";
import type { WebRequest } from "./http/web-request.ts";
import type { CredentialCache } from "./identity/credential-cache.ts";
import type { Seals } from "./identity/seals.ts";
import type { SessionRecorder } from "./identity/session-recorder.ts";
import { type StartSessionServices, startSession } from "./identity/start-session.ts";
import { endStoredSession } from "./identity/waiting-ends.ts";
import type { Clock } from "./lib/clock.ts";

/**
 * The accounts, for the app's own pages and scripts. The rules are those of the commands, and every
 * change is in the audit log. No permission is checked: that is the task of the caller.
 */
export interface Users {
  /**
   * Adds an account. The first one closes the setup.
   *
   * @throws {Fault} `invalid_option` for a value of the wrong type, as every member does.
   */
  add(user: AddedUser): Promise<AddUserOutcome>;
  /** Finds an account by its ID. It can have ended, as its `endsAt` says: then it cannot sign in. */
  find(id: string): Promise<Account | undefined>;
  /** Finds an account by its username. The match is exact. It can have ended. */
  findByUsername(username: string): Promise<Account | undefined>;
  /** Lists all accounts in the order of their IDs, including those that have ended. */
  list(): AsyncIterable<Account>;
  /** Changes the username. Sessions stay valid, and no other account can have the old name. */
  rename(id: string, username: string): Promise<RenameUserOutcome>;
  /** Sets a new password without asking for the old one. Sessions stay valid. */
  setPassword(id: string, password: string): Promise<ResetPasswordOutcome>;
  /** Replaces all groups of the account. */
  setGroups(id: string, groups: readonly string[]): Promise<SetGroupsOutcome>;
  /** Removes the account and ends its sessions. No other account can have its username. */
  remove(id: string): Promise<RemoveUserOutcome>;
  /**
   * Frees a username that an account had, in all spellings. Apps that know accounts by their name take
   * whoever gets it for the earlier one.
   */
  forgetName(username: string): Promise<"username-taken" | "no-name" | "forgotten">;
}

/** The sessions of all accounts. */
export interface Sessions {
  /** Lists the sessions of a user, the most recently used first, at most 1,000. */
  list(userId: string): Promise<readonly Session[]>;
  /** Lists the devices on which a user needs no one-time code, the newest first, at most 50. */
  devices(userId: string): Promise<readonly Device[]>;
  /** Ends one session by its ID, or forgets a device that needs no one-time code. */
  end(id: string): Promise<"no-session" | "ended" | "forgotten">;
  /** Ends every session of a user. */
  endAll(userId: string): Promise<"no-user" | "ended">;
  /** Ends every session of every user, in one step. Returns the number of users. */
  endForEveryone(): Promise<number>;
  /**
   * Signs in a user whom the app has identified. Returns `undefined` for an unknown or ended account.
   *
   * @param request Its address and browser are in the list of sessions and in the audit log.
   */
  create(userId: string, request?: WebRequest): Promise<NewSession | undefined>;
}

/** A session that `auth.sessions.create` has made. */
export interface NewSession {
  readonly id: string;
  readonly expiresAt: Date;
  /** The value of a Cookie header. */
  readonly cookie: string;
  /** The values of the Set-Cookie headers of the answer to the request. */
  readonly setCookies: readonly string[];
}

/** One-time links. The path of a link is `/link/` and its token, below the base path. */
export interface Links {
  /** Makes a link. Its token is in the outcome alone. */
  make(wanted: WantedLink): Promise<MakeLinkOutcome>;
  /** Lists the links that can be used, in the order of their IDs. */
  list(): AsyncIterable<Link>;
  /** Revokes a link by its ID. Accounts that it has made stay. */
  revoke(id: string): Promise<"no-link" | "revoked">;
}

/** Keys for programs. */
export interface Keys {
  /**
   * Adds a key for a user. Returns `no-user` for an account that has ended. The text of the key is in
   * the outcome alone.
   */
  add(userId: string, key: AddedKey): Promise<AddKeyOutcome | { readonly kind: "no-user" }>;
  /** Lists the keys of a user, the oldest first. */
  list(userId: string): Promise<readonly Key[]>;
  /** Revokes a key by its ID. */
  revoke(id: string): Promise<"no-key" | "revoked">;
}

/** The second factors of accounts, for a person who has lost them. */
export interface SecondFactors {
  /** Turns one-time codes off, also if turning them on was only begun. */
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
export interface AccountApiServices extends SignInServices, AddUserServices {
  readonly store: StoreParts;
}

export function createAccountApi(ports: AccountApiServices): AccountApi {
  return {
    users: createUsers(ports),
    sessions: createSessions(ports),
    links: createLinks(ports),
    keys: createKeys(ports),
    factors: createFactors(ports),
  };
}

const checkId = (id: unknown): UserId => idOf(requireText("id", id));
const checkUserId = (userId: unknown): UserId => idOf(requireText("userId", userId));

const withoutHash = (user: StoredUser | undefined): Account | undefined => user && toAccount(user);

export function createUsers(ports: AddUserServices): Users {
  const { users } = ports.store;
  return Object.freeze<Users>({
    async add(given) {
      const { username, password, ...facts } = checkUser(given);
      return addUser(ports, username, password, facts);
    },
    find: async (id) => withoutHash(await users.find(checkId(id))),
    findByUsername: async (username) =>
      withoutHash(await users.findByName(requireText("username", username))),
    async *list() {
      for await (const page of readPagesById(users.read)) yield* page.map(toAccount);
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

/** The sessions of a user that a list has at most. */
export const MAX_LISTED = 1_000;

/** What the members share: the database, the time, and an entry of the audit log that says who did it. */
interface RecordingServices {
  readonly store: StoreParts;
  readonly clock: Pick<Clock, "now">;
  readonly record: (event: NewAuditEvent) => unknown;
}

interface SessionServices extends RecordingServices {
  readonly seals: Seals;
  /** Only a process with guards has them. */
  readonly credentialCache?: Pick<CredentialCache, "forget">;
  readonly recorder?: Pick<SessionRecorder, "flush">;
}

/** Creates what commands have as well: they sign nobody in. */
export function createSessionAdministration(ports: SessionServices): Omit<Sessions, "create"> {
  const { store, clock } = ports;
  const { sessions, devices } = store;
  const record = async (type: EventType, userId: UserId): Promise<void> => {
    const user = await store.users.find(userId);
    if (user !== undefined) await ports.record(createAuditEvent(type, { user }));
  };
  return {
    async list(userId) {
      const id = checkUserId(userId);
      await ports.recorder?.flush();
      return sessions.listOf(id, new Date(clock.now()), MAX_LISTED);
    },
    devices: async (userId) => listDevices(ports, checkUserId(userId)),
    async end(given) {
      const id = requireText("id", given);
      await ports.recorder?.flush();
      const session = await sessions.find(id);
      if (session !== undefined) {
        if (!(await endStoredSession(ports, session))) return "no-session";
        await record("session_end", session.userId);
        return "ended";
      }
      const device = await devices.find(id, new Date(clock.now()));
      if (!device || !(await devices.remove(device.userId, id))) return "no-session";
      await record("device_remove", device.userId);
      return "forgotten";
    },
    endAll: async (userId) => endUserSessions(ports, checkUserId(userId)),
    async endForEveryone() {
      try {
        return await endAllSessions(ports);
      } finally {
        // Also after a failure: the sessions may have ended, and only the answer was lost.
        ports.credentialCache?.forget("all");
      }
    },
  };
}

interface SignInServices extends SessionServices, StartSessionServices {
  readonly recorder: SessionRecorder;
  readonly proxies: ProxyTrust;
  readonly cookieDomain: string | undefined;
}

const createSessions = (ports: SignInServices): Sessions =>
  Object.freeze<Sessions>({
    ...createSessionAdministration(ports),
    async create(userId, request = fetchRequest(new Request("http://localhost/"))) {
      const now = new Date(ports.clock.now());
      const user = await ports.store.users.findActive(checkUserId(userId), now);
      if (user === undefined) return undefined;
      const client = ports.proxies.getClient(request);
      const token = startSession(ports, user, client);
      await ports.record(createAuditEvent("signin", { user, client }));
      return Object.freeze({
        id: token.id,
        expiresAt: new Date(token.expiresAt),
        cookie: `${SESSION_COOKIE}=${token.text}`,
        setCookies: createSessionCookies(request, token, ports.cookieDomain),
      });
    },
  });

export function createLinks(ports: RecordingServices): Links {
  const { links } = ports.store;
  return Object.freeze<Links>({
    make: async (wanted) => makeLink(ports, checkLink(wanted, ports.clock.now())),
    async *list() {
      const now = new Date(ports.clock.now());
      for await (const page of readPagesById((...given) => links.read(...given, now))) yield* page;
    },
    revoke: async (id) => revokeLink(ports, requireText("id", id)),
  });
}

export function createKeys(ports: RecordingServices): Keys {
  const { keys, users } = ports.store;
  return Object.freeze<Keys>({
    async add(userId, given) {
      const id = checkUserId(userId);
      const key = checkKey(given);
      const user = await users.findActive(id, new Date(ports.clock.now()));
      return user === undefined ? { kind: "no-user" } : addKey(ports, toPublicUser(user), key);
    },
    list: async (userId) => keys.listOf(checkUserId(userId)),
    revoke: async (id) => revokeKey(ports, requireText("id", id)),
  });
}

export const createFactors = (ports: RecordingServices): SecondFactors =>
  Object.freeze<SecondFactors>({
    turnOffCodes: async (userId) => removeCodes(ports, checkUserId(userId)),
    removeAll: async (userId) => removeFactors(ports, checkUserId(userId)),
  });
