import {
  type AddUserOutcome,
  type AddUserPorts,
  addUser,
  endSessionsOf,
  type RemoveUserOutcome,
  type RenameUserOutcome,
  type ResetPasswordOutcome,
  removeUser,
  renameUser,
  resetPassword,
} from "./core/accounts/accounts.ts";
import { type SetGroupsOutcome, setGroups } from "./core/accounts/set-groups.ts";
import { type EventType, eventOf } from "./core/log/events.ts";
import type { AllPorts, Ports } from "./core/ports.ts";
import { type NewUser, type Session, type User, type UserId, userOf } from "./core/records.ts";
import { endInStore } from "./core/sessions/sign-out.ts";
import { type StartSessionPorts, startSession } from "./core/sessions/start-session.ts";
import type { Store } from "./core/store.ts";
import { pagesOf } from "./core/transfer/pages.ts";
import { createKeys, createLinks, type Keys, type Links } from "./token-api.ts";
import { SESSION_COOKIE, sessionCookies } from "./web/answers/session-cookie.ts";
import { fetchRequest } from "./web/request/fetch-request.ts";
import type { ProxyTrust } from "./web/request/remote-address.ts";
import type { WebRequest } from "./web/request/web-request.ts";

/**
 * The accounts, for the app's own pages and scripts. The rules are those of the commands, and every
 * change is in the audit log. No permission is checked: that is the task of the caller.
 */
export interface Users {
  /** The first account closes the setup. */
  add(user: AddedUser): Promise<AddUserOutcome>;
  find(id: string): Promise<User | undefined>;
  /** Exact match. */
  findByUsername(username: string): Promise<User | undefined>;
  /** All, in the order of their IDs. */
  list(): AsyncIterable<User>;
  rename(id: string, username: string): Promise<RenameUserOutcome>;
  /** Needs no old password. Sessions stay. */
  setPassword(id: string, password: string): Promise<ResetPasswordOutcome>;
  /** In place of those that it has. */
  setGroups(id: string, groups: readonly string[]): Promise<SetGroupsOutcome>;
  /** With its sessions. */
  remove(id: string): Promise<RemoveUserOutcome>;
}

/** A new account. Without a password it cannot sign in before it gets one, such as by a link. */
export interface AddedUser extends Pick<NewUser, "username" | "groups" | "endsAt"> {
  readonly password?: string;
}

/** The sessions of all accounts. */
export interface Sessions {
  /** The most recently used first, at most 1,000; none if the store keeps no sessions. */
  list(userId: string): Promise<readonly Session[]>;
  /** Ends one session by its ID, or forgets a device that needs no one-time code. */
  end(id: string): Promise<"no-session" | "ended">;
  /** Ends every session of a user. */
  endAll(userId: string): Promise<"no-user" | "ended">;
  /**
   * Signs in a user whom the app has identified by itself. `undefined` for an unknown user.
   *
   * @param request Its address and browser are in the list of sessions and in the audit log.
   */
  create(userId: string, request?: WebRequest): Promise<NewSession | undefined>;
}

/** A session that `auth.sessions.create` has made. */
export interface NewSession {
  readonly id: string;
  readonly expiresAt: Date;
  /** For a Cookie header. */
  readonly cookie: string;
  /** For Set-Cookie headers of the answer to the request. */
  readonly setCookies: readonly string[];
}

/** What an Auth object has for the app's own pages and scripts. */
export interface AccountApi {
  readonly users: Users;
  readonly sessions: Sessions;
  /** `undefined` if the store keeps none. */
  readonly links: Links | undefined;
  /** `undefined` if the store keeps none. */
  readonly keys: Keys | undefined;
}

/** What the members need. `record` says who did it. */
interface ApiPorts extends StartSessionPorts, AddUserPorts {
  readonly store: Store;
  readonly users: Pick<AllPorts["users"], "forget">;
  readonly proxies: ProxyTrust;
  readonly cookieDomain: string | undefined;
}

export function createAccountApi(ports: ApiPorts): AccountApi {
  const { users, links, keys } = ports.store;
  return {
    users: createUsers(ports),
    sessions: Object.freeze<Sessions>({ ...createSessions(ports), create: creatingOn(ports) }),
    links: links && createLinks({ ...ports, store: { users, links } }),
    keys: keys && createKeys({ ...ports, store: { users, keys } }),
  };
}

/** IDs come from requests and from the app's own tables. */
const idOf = (text: string): UserId => String(text) as UserId;

const shown = async (found: ReturnType<Store["users"]["find"]>): Promise<User | undefined> => {
  const user = await found;
  return user && userOf(user);
};

export function createUsers(ports: AddUserPorts): Users {
  const { users } = ports.store;
  return Object.freeze<Users>({
    add: ({ username, password, ...facts }) => addUser(ports, username, password, facts),
    find: (id) => shown(users.find(idOf(id))),
    findByUsername: (username) => shown(users.findByName(username)),
    async *list() {
      for await (const page of pagesOf(users.read)) yield* page.map(userOf);
    },
    rename: (id, username) => renameUser(ports, idOf(id), username),
    setPassword: (id, password) => resetPassword(ports, idOf(id), password),
    setGroups: (id, groups) => setGroups(ports, idOf(id), groups),
    remove: (id) => removeUser(ports, idOf(id)),
  });
}

/** How many sessions of one user are listed. */
const MAX_LISTED = 1_000;

interface SessionPorts extends Ports<"clock" | "record", "users"> {
  readonly store: Pick<Store, "users" | "sessions" | "devices">;
  /** Of this process, if it has guards. */
  readonly users?: Pick<AllPorts["users"], "forget">;
  readonly recorder?: Pick<AllPorts["recorder"], "flush">;
}

/** Those of commands too, which create none. */
export function createSessions(ports: SessionPorts): Omit<Sessions, "create"> {
  const { store, clock } = ports;
  const { sessions, devices } = store;
  const recorded = async (type: EventType, userId: UserId): Promise<"ended"> => {
    const user = await store.users.find(userId);
    if (user !== undefined) await ports.record(eventOf(type, { user }));
    return "ended";
  };
  return {
    async list(userId) {
      await ports.recorder?.flush();
      return sessions?.listOf(idOf(userId), new Date(clock.now()), MAX_LISTED) ?? [];
    },
    async end(id) {
      await ports.recorder?.flush();
      const session = await sessions?.find(id);
      if (sessions && session) {
        const isEnded = await endInStore({ ...ports, store: { sessions } }, session);
        return isEnded ? recorded("session_end", session.userId) : "no-session";
      }
      const device = await devices?.find(id, new Date(clock.now()));
      const isForgotten = device && (await devices?.remove(device.userId, id));
      return isForgotten ? recorded("device_remove", device.userId) : "no-session";
    },
    endAll: (userId) => endSessionsOf(ports, idOf(userId)),
  };
}

const creatingOn =
  (ports: ApiPorts): Sessions["create"] =>
  async (userId, request = fetchRequest(new Request("http://localhost/"))) => {
    const user = await ports.store.users.find(idOf(userId));
    if (user === undefined) return undefined;
    const client = ports.proxies.clientOf(request);
    const token = startSession(ports, user, client);
    await ports.record(eventOf("signin", { user, client }));
    return Object.freeze({
      id: token.id,
      expiresAt: new Date(token.expiresAt),
      cookie: `${SESSION_COOKIE}=${token.text}`,
      setCookies: sessionCookies(request, token, ports.cookieDomain),
    });
  };
