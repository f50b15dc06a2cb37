import {
  type AddedApp,
  type AddedUser,
  checkApp,
  checkAppFields,
  checkKey,
  checkLink,
  checkProfileFields,
  checkUser,
  requireBytes,
  requireScheme,
  requireText,
  requireTexts,
} from "./api-arguments.ts";
import { createAuditEvent, type EventType, type NewAuditEvent } from "./audit/events.ts";
import { readPagesById } from "./db/read-pages.ts";
import {
  type Account,
  type Device,
  type IconScheme,
  type Key,
  type Link,
  MAX_SIGN_UPS,
  type Session,
  type StoredUser,
  toAccount,
  toPublicUser,
  toUserId,
  type UserId,
} from "./db/records.ts";
import type { StoreParts } from "./db/store.ts";
import { type AppDetails, type AppFields, toAppDetails } from "./features/apps/app-fields.ts";
import {
  listIconSchemes,
  removeAppIcon,
  type SetIconOutcome,
  setAppIcon,
} from "./features/apps/app-icons.ts";
import {
  type AddAppOutcome,
  type AppServices,
  addApp,
  type ChangeAppOutcome,
  changeApp,
  type MakeSecretOutcome,
  makeAppSecret,
  removeApp,
  revokeAppSecret,
} from "./features/apps/manage-apps.ts";
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
import { rotateSigningKeys } from "./features/oidc/signing-keys.ts";
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
import {
  type ProfileFields,
  type SetProfileOutcome,
  setProfile,
} from "./features/profile/set-profile.ts";
import {
  type ApproveOutcome,
  approveSignUp,
  declineSignUp,
  listSignUpRequests,
  type SignUpRequest,
} from "./features/sign-up/decide.ts";
import { fetchRequest } from "./http/fetch-request.ts";
import type { ProxyTrust } from "./http/remote-address.ts";
import { createSessionCookies, SESSION_COOKIE } from "./http/session-cookie.ts";
import type { WebRequest } from "./http/web-request.ts";
import type { ChangeServices } from "./identity/credential-cache.ts";
import { endStoredSession } from "./identity/end-session.ts";
import type { Seals } from "./identity/seals.ts";
import type { SessionRecorder } from "./identity/session-recorder.ts";
import { type StartSessionServices, startSession } from "./identity/start-session.ts";
import type { Clock } from "./lib/clock.ts";
import type { Mailing } from "./mail/mailing.ts";

/**
 * Manages accounts for the app's own pages and scripts. The rules are those of the commands, and
 * every change is in the audit log. The members check no permissions: the caller must do so.
 */
export interface Users {
  /**
   * Adds an account. The first account closes the setup.
   *
   * @throws {Fault} `invalid_option` for a value of the wrong type, as every member does.
   */
  add(user: AddedUser): Promise<AddUserOutcome>;
  /**
   * Finds an account by its ID. An account whose `endsAt` has passed is also found; it cannot sign
   * in.
   */
  find(id: string): Promise<Account | undefined>;
  /**
   * Finds an account by its username. The match is exact. An account that has ended is also found.
   */
  findByUsername(username: string): Promise<Account | undefined>;
  /** Lists all accounts in the order of their IDs, including those that have ended. */
  list(): AsyncIterable<Account>;
  /** Changes the username. Sessions stay valid, and no other account can have the old name. */
  rename(id: string, username: string): Promise<RenameUserOutcome>;
  /** Sets a new password without asking for the old one. Sessions stay valid. */
  setPassword(id: string, password: string): Promise<ResetPasswordOutcome>;
  /** Replaces all groups of the account. */
  setGroups(id: string, groups: readonly string[]): Promise<SetGroupsOutcome>;
  /**
   * Changes the given fields of the profile: the name and the e-mail address that apps get. They
   * identify nobody. The next token of an app contains them.
   */
  setProfile(id: string, fields: ProfileFields): Promise<SetProfileOutcome>;
  /** Removes the account and ends its sessions. No other account can have its username. */
  remove(id: string): Promise<RemoveUserOutcome>;
  /**
   * Frees a username that an account had, in all spellings. An app that identifies accounts by name
   * takes the next account with this name for the earlier one.
   */
  forgetName(username: string): Promise<"username-taken" | "no-name" | "forgotten">;
}

/** Manages the sessions of all accounts. */
export interface Sessions {
  /** Lists the sessions of a user, the most recently used first, at most 1,000. */
  list(userId: string): Promise<readonly Session[]>;
  /** Lists the devices on which a user needs no one-time code, the newest first, at most 50. */
  devices(userId: string): Promise<readonly Device[]>;
  /** Ends one session by its ID, or forgets a device that needs no one-time code. */
  end(id: string): Promise<"no-session" | "ended" | "forgotten">;
  /** Ends every session of a user. */
  endAll(userId: string): Promise<"no-user" | "ended">;
  /** Ends every session of every user in one transaction. Returns the number of users. */
  endForEveryone(): Promise<number>;
  /**
   * Signs in a user whom the app has identified. Returns `undefined` for an unknown or ended
   * account.
   *
   * @param request provides the address and the browser for the list of sessions and the audit
   *   log.
   */
  create(userId: string, request?: WebRequest): Promise<NewSession | undefined>;
}

/** Describes a session that `auth.sessions.create` has made. */
export interface NewSession {
  readonly id: string;
  readonly expiresAt: Date;
  /** This is the value of a Cookie header. */
  readonly cookie: string;
  /** These are the values of the Set-Cookie headers for the response to the request. */
  readonly setCookies: readonly string[];
}

/** Manages one-time links. The path of a link is the base path, `/link/` and the token. */
export interface Links {
  /** Makes a link. Only the outcome contains its token. */
  make(wanted: WantedLink): Promise<MakeLinkOutcome>;
  /** Lists the links that can still be used, in the order of their IDs. */
  list(): AsyncIterable<Link>;
  /** Revokes a link by its ID. Accounts that the link has made stay. */
  revoke(id: string): Promise<"no-link" | "revoked">;
}

/** Decides about people who have asked for an account, with `mode: "approval"` of `signIn.signUp`. */
export interface SignUps {
  /** Lists the requests about which nobody has decided, the oldest first, at most 1,000. */
  list(): Promise<readonly SignUpRequest[]>;
  /** Makes the account. The person gets a message at a verified address. */
  approve(id: string): Promise<ApproveOutcome>;
  /** Removes the request. The person is not told, and can ask again. */
  decline(id: string): Promise<"no-request" | "declined">;
}

/** Manages API keys for programs. */
export interface Keys {
  /**
   * Adds an API key for a user. Returns `no-user` for an account that has ended. Only the outcome
   * contains the text of the key.
   */
  add(userId: string, key: AddedKey): Promise<AddKeyOutcome | { readonly kind: "no-user" }>;
  /** Lists the API keys of a user, the oldest first. */
  list(userId: string): Promise<readonly Key[]>;
  /** Revokes an API key by its ID. */
  revoke(id: string): Promise<"no-key" | "revoked">;
}

/**
 * Manages apps: who may open them, and how they sign people in. A change is valid on every instance
 * within a second.
 */
export interface ManagedApps {
  /** Lists all apps in the order of their IDs. */
  list(): Promise<readonly AppDetails[]>;
  /** Finds an app by its ID, with what is known of its secrets and icons. */
  find(id: string): Promise<FoundApp | undefined>;
  /**
   * Adds an app. An app with redirects speaks OpenID Connect: the outcome contains its client
   * secret, and nothing else does.
   *
   * @example
   * ```ts
   * const added = await auth.apps.add({
   *   name: "Photos",
   *   url: "https://photos.example.org",
   *   groups: ["family"],
   *   redirects: ["https://photos.example.org/auth/callback"],
   * });
   * ```
   */
  add(app: AddedApp): Promise<AddAppOutcome>;
  /**
   * Changes the given fields. A field that is left out keeps its value; an empty text or list removes
   * it. The outcome contains a client secret if the app had none and now needs one.
   */
  change(id: string, fields: AppFields): Promise<ChangeAppOutcome>;
  /** Removes the app with its secrets and icons, and ends every sign-in to it. */
  remove(id: string): Promise<"no-app" | "removed">;
  /** Makes a second client secret. Both are valid until the older one is revoked. */
  addSecret(id: string): Promise<MakeSecretOutcome>;
  /** Revokes the older of two client secrets. */
  revokeSecret(id: string): Promise<"no-app" | "only-one" | "revoked">;
  /**
   * Sets the icon for light or dark pages: an SVG, PNG, WebP or AVIF image of up to 512 KiB. The
   * content decides the type.
   */
  setIcon(id: string, scheme: IconScheme, image: Uint8Array): Promise<SetIconOutcome>;
  removeIcon(id: string, scheme: IconScheme): Promise<"no-icon" | "removed">;
  /**
   * Replaces the keys that sign tokens and assertions, within a second on every instance. The
   * replaced keys stay published for 30 days. Otherwise, keys are replaced after 90 days.
   */
  rotateKeys(): Promise<"rotated" | "no-keys">;
}

/** Describes an app with what is known of its secrets and icons. */
export interface FoundApp extends AppDetails {
  /** Lists when each secret was made, the oldest first. */
  readonly secrets: readonly Date[];
  readonly icons: readonly IconScheme[];
}

/** Removes the second factors of accounts, for users who have lost them. */
export interface SecondFactors {
  /** Turns one-time codes off. Also cancels an enrolment that is not confirmed yet. */
  turnOffCodes(userId: string): Promise<"no-user" | "already-off" | "off">;
  /** Removes one-time codes, remembered devices and passkeys, and ends every session. */
  removeAll(userId: string): Promise<"no-user" | "ended">;
}

/** Contains what an Auth object offers to the app's own pages and scripts. */
export interface AccountApi {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly links: Links;
  readonly signUps: SignUps;
  readonly keys: Keys;
  readonly factors: SecondFactors;
  readonly apps: ManagedApps;
}

/** Lists the services that the members need. `record` notes who made the change. */
export interface AccountApiServices extends SignInServices, UsersServices, AppServices {
  readonly store: StoreParts;
}

export function createAccountApi(services: AccountApiServices): AccountApi {
  return {
    users: createUsers(services),
    sessions: createSessions(services),
    links: createLinks(services),
    signUps: createSignUps(services),
    keys: createKeys(services),
    factors: createFactors(services),
    apps: createApps(services),
  };
}

const checkId = (id: unknown): UserId => toUserId(requireText("id", id));
const checkUserId = (userId: unknown): UserId => toUserId(requireText("userId", userId));

const withoutHash = (user: StoredUser | undefined): Account | undefined => user && toAccount(user);

interface UsersServices extends AddUserServices {
  readonly store: Pick<StoreParts, "users" | "profiles">;
}

export function createUsers(services: UsersServices): Users {
  const { users } = services.store;
  return Object.freeze<Users>({
    async add(given) {
      const { username, password, ...facts } = checkUser(given);
      return addUser(services, username, password, facts);
    },
    find: async (id) => withoutHash(await users.find(checkId(id))),
    findByUsername: async (username) =>
      withoutHash(await users.findByName(requireText("username", username))),
    async *list() {
      for await (const page of readPagesById(users.read)) yield* page.map(toAccount);
    },
    rename: async (id, username) =>
      renameUser(services, checkId(id), requireText("username", username)),
    setPassword: async (id, password) =>
      resetPassword(services, checkId(id), requireText("password", password)),
    setGroups: async (id, groups) =>
      setGroups(services, checkId(id), requireTexts("groups", groups)),
    setProfile: async (id, fields) => setProfile(services, checkId(id), checkProfileFields(fields)),
    remove: async (id) => removeUser(services, checkId(id)),
    forgetName: async (username) => forgetName(services, requireText("username", username)),
  });
}

/** Limits the sessions of a user that a list contains. */
export const MAX_LISTED = 1_000;

/**
 * Lists the services that all members share. `record` writes an audit log entry that says who made
 * the change.
 */
interface RecordingServices extends ChangeServices {
  readonly store: StoreParts;
  readonly clock: Pick<Clock, "now">;
  readonly record: (event: NewAuditEvent) => unknown;
  readonly mailing?: Mailing | undefined;
}

interface SessionServices extends RecordingServices {
  readonly seals: Seals;
  readonly recorder?: Pick<SessionRecorder, "flush">;
}

/** Creates the members that the commands use too. The commands never sign a user in. */
export function createSessionAdministration(services: SessionServices): Omit<Sessions, "create"> {
  const { store, clock } = services;
  const { sessions, devices } = store;
  const record = async (type: EventType, userId: UserId): Promise<void> => {
    const user = await store.users.find(userId);
    if (user !== undefined) await services.record(createAuditEvent(type, { user }));
  };
  return {
    async list(userId) {
      const id = checkUserId(userId);
      await services.recorder?.flush();
      return sessions.listOf(id, new Date(clock.now()), MAX_LISTED);
    },
    devices: async (userId) => listDevices(services, checkUserId(userId)),
    async end(given) {
      const id = requireText("id", given);
      await services.recorder?.flush();
      const session = await sessions.find(id);
      if (session !== undefined) {
        if (!(await endStoredSession(services, session))) return "no-session";
        await record("session_end", session.userId);
        return "ended";
      }
      const device = await devices.find(id, new Date(clock.now()));
      if (!device || !(await devices.remove(device.userId, id))) return "no-session";
      await record("device_remove", device.userId);
      return "forgotten";
    },
    endAll: async (userId) => endUserSessions(services, checkUserId(userId)),
    endForEveryone: () => endAllSessions(services),
  };
}

interface SignInServices extends SessionServices, StartSessionServices {
  readonly recorder: SessionRecorder;
  readonly proxies: ProxyTrust;
  readonly cookieDomain: string | undefined;
}

const createSessions = (services: SignInServices): Sessions =>
  Object.freeze<Sessions>({
    ...createSessionAdministration(services),
    async create(userId, request = fetchRequest(new Request("http://localhost/"))) {
      const now = new Date(services.clock.now());
      const user = await services.store.users.findActive(checkUserId(userId), now);
      if (user === undefined) return undefined;
      const client = services.proxies.getClient(request);
      const token = startSession(services, user, client);
      await services.record(createAuditEvent("signin", { user, client }));
      return Object.freeze({
        id: token.id,
        expiresAt: new Date(token.expiresAt),
        cookie: `${SESSION_COOKIE}=${token.text}`,
        setCookies: createSessionCookies(request, token, services.cookieDomain),
      });
    },
  });

export function createLinks(services: RecordingServices): Links {
  const { links } = services.store;
  return Object.freeze<Links>({
    make: async (wanted) => makeLink(services, checkLink(wanted, services.clock.now())),
    async *list() {
      const now = new Date(services.clock.now());
      for await (const page of readPagesById((...given) => links.read(...given, now))) yield* page;
    },
    revoke: async (id) => revokeLink(services, requireText("id", id)),
  });
}

export const createSignUps = (services: RecordingServices): SignUps =>
  Object.freeze<SignUps>({
    list: () => listSignUpRequests(services, MAX_SIGN_UPS),
    approve: async (id) => approveSignUp(services, requireText("id", id)),
    decline: async (id) => declineSignUp(services, requireText("id", id)),
  });

export function createKeys(services: RecordingServices): Keys {
  const { keys, users } = services.store;
  return Object.freeze<Keys>({
    async add(userId, given) {
      const id = checkUserId(userId);
      const key = checkKey(given);
      const user = await users.findActive(id, new Date(services.clock.now()));
      return user === undefined ? { kind: "no-user" } : addKey(services, toPublicUser(user), key);
    },
    list: async (userId) => keys.listOf(checkUserId(userId)),
    revoke: async (id) => revokeKey(services, requireText("id", id)),
  });
}

export const createFactors = (services: RecordingServices): SecondFactors =>
  Object.freeze<SecondFactors>({
    turnOffCodes: async (userId) => removeCodes(services, checkUserId(userId)),
    removeAll: async (userId) => removeFactors(services, checkUserId(userId)),
  });

export function createApps(
  services: AppServices & { readonly store: Pick<StoreParts, "apps" | "signingKeys"> },
): ManagedApps {
  const { apps } = services.store;
  return Object.freeze<ManagedApps>({
    list: async () => (await apps.list()).map(toAppDetails),
    async find(given) {
      const id = requireText("id", given);
      const app = await apps.find(id);
      if (app === undefined) return undefined;
      const [secrets, icons] = await Promise.all([apps.listSecrets(id), listIconSchemes(apps, id)]);
      return { ...toAppDetails(app), secrets: secrets.map(({ createdAt }) => createdAt), icons };
    },
    async add(given) {
      const { id, ...fields } = checkApp(given);
      return addApp(services, fields, id);
    },
    change: async (id, fields) =>
      changeApp(services, requireText("id", id), checkAppFields(fields)),
    remove: async (id) => removeApp(services, requireText("id", id)),
    addSecret: async (id) => makeAppSecret(services, requireText("id", id)),
    async revokeSecret(id) {
      const outcome = await revokeAppSecret(services, requireText("id", id));
      return outcome === "no-secret" ? "only-one" : outcome;
    },
    setIcon: async (id, scheme, image) =>
      setAppIcon(
        services,
        requireText("id", id),
        requireScheme(scheme),
        requireBytes("image", image),
      ),
    removeIcon: async (id, scheme) =>
      removeAppIcon(services, requireText("id", id), requireScheme(scheme)),
    rotateKeys: async () => rotateSigningKeys(services),
  });
}
