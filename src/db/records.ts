import { digestText } from "../lib/random-text.ts";
import type { RecordOf, tables } from "./tables.ts";
import type { ClientType, LinkPurpose, PasswordHash, SigningAlgorithm, UserId } from "./values.ts";

export {
  type ClientType,
  type DeliveryKind,
  deliveryKinds,
  type IconScheme,
  type KeyAlgorithm,
  type LinkPurpose,
  type PasswordHash,
  type SigningAlgorithm,
  toIconId,
  toUserId,
  type UserId,
} from "./values.ts";

// Types that apps see are written out, and the compiler compares them with the columns. Types that
// only Latchkey sees derive from their tables.

/** Describes a user as the app sees it, without the password hash. */
export interface User {
  readonly id: UserId;
  readonly username: string;
  /** The field is absent if the user has no groups. */
  readonly groups?: readonly string[];
  /** True for a guest. Guards refuse guests; an app decides by groups what a guest may see. */
  readonly guest?: true;
  /** The display name. The field is absent if the account has none; a guest never has one. */
  readonly name?: string;
  /** The e-mail address. The field is absent if the account has none; a guest never has one. */
  readonly email?: string;
  /** Says whether the address is known to belong to the person. Present with `email`. */
  readonly emailVerified?: boolean;
}

/** Describes a user before the store has assigned an ID. */
export type NewUser = Omit<StoredUser, "id" | "sessionsFrom">;

/** Describes a user as the store keeps it. */
export interface StoredUser extends RecordOf<typeof tables.users> {}

/** Describes a stored user together with the profile of the account, if there is one. */
export interface FoundUser extends StoredUser {
  readonly profile?: Partial<Pick<Profile, "name" | "email" | "verifiedEmail">>;
}

/** Returns whether an account has ended. An account whose end is not a valid date has ended. */
export const hasEnded = ({ endsAt }: Pick<StoredUser, "endsAt">, now: number): boolean =>
  endsAt !== undefined && !(endsAt.getTime() > now);

/** Members of this group manage accounts. The account of the setup is a member. */
export const ADMINS = "admins";

/** A guest has no password and has this value in place of a hash. No password matches it. */
export const NO_PASSWORD = "$guest$" as PasswordHash;

/** An account without a password has this value in place of a hash. No password matches it. */
export const UNSET_PASSWORD = "$unset$" as PasswordHash;

/**
 * Returns what the app sees of a stored user. Each field is named, so that a new column is not
 * published by accident. The user and its groups are frozen, since several requests get the same
 * object: a handler that adds a group would give that user access to other pages.
 */
export const toPublicUser = ({ id, username, passwordHash, groups, profile }: FoundUser): User =>
  Object.freeze({
    id,
    username,
    // The groups are copied, since a store of the app may later change its own list.
    ...(groups && { groups: Object.freeze([...groups]) }),
    ...(passwordHash === NO_PASSWORD ? ({ guest: true } as const) : toPublicProfile(profile)),
  });

const toPublicProfile = ({
  name,
  email,
  verifiedEmail,
}: FoundUser["profile"] = {}): Pick<User, "name" | "email" | "emailVerified"> => ({
  ...(name !== undefined && { name }),
  ...(email !== undefined && { email, emailVerified: verifiedEmail !== undefined }),
});

/** Describes a user with the additional facts that an operator sees. */
export interface Account extends User {
  /** After this time, the account counts as removed. */
  readonly endsAt?: Date;
  /** Sessions from sign-ins before this time have ended. */
  readonly sessionsFrom?: Date;
}

/** Returns the account of a stored user. */
export function toAccount(stored: FoundUser): Account {
  const { endsAt, sessionsFrom } = stored;
  return Object.freeze({
    ...toPublicUser(stored),
    ...(endsAt && { endsAt }),
    ...(sessionsFrom !== undefined && { sessionsFrom: new Date(sessionsFrom * 1_000) }),
  });
}

/** Describes an account as administrators see it. */
export interface Person {
  readonly user: User;
  readonly endsAt?: Date;
  /** The log records the last sign-in at this time. */
  readonly signedInAt?: Date;
  /** The account has this many sessions. */
  readonly sessions: number;
  /** True if the account uses one-time codes. */
  readonly codes: boolean;
  /** The account has this many passkeys. */
  readonly passkeys: number;
}

/**
 * The last use of a session or API key is recorded at most once in this time, so the recorded time
 * is only this precise.
 */
export const USE_PRECISION_MS = 3_600_000;

/** Describes a signed-in browser. */
export interface Session {
  /** The session token carries the ID in its claim `jti`. */
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly usedAt: Date;
  /** This time is never before the expiry of the token. */
  readonly expiresAt: Date;
  readonly address: string;
  /** The device is a text such as `Firefox on Linux`. It is empty if the device is unknown. */
  readonly device: string;
  /**
   * Only this host accepts the session. The field is absent for a session of the sign-in itself.
   */
  readonly host?: string;
}

/** Describes a session that may have ended. The row stays until the session expires. */
export interface StoredSession extends RecordOf<typeof tables.sessions> {}

/** Describes a session that is being passed from the sign-in to another host. */
export interface Handoff extends RecordOf<typeof tables.handoffs> {}

export interface Passkey {
  /** The ID is the credential ID, in base64url. */
  readonly id: string;
  readonly userId: UserId;
  /** The user chooses this name. */
  readonly name: string;
  /** The value is the public key as SubjectPublicKeyInfo, in base64url. */
  readonly key: string;
  /** The value is the last signature counter. It is 0 for a passkey that does not count. */
  readonly counter: number;
  readonly addedAt: Date;
  readonly usedAt?: Date;
}

/** Describes an account at another provider, with which a person signs in here. */
export interface Identity extends RecordOf<typeof tables.identities> {}

/** Returns the ID of an identity. No issuer and no subject contains a line break. */
export const toIdentityId = (issuer: string, subject: string): string =>
  digestText(`${issuer}\n${subject}`);

/** Describes a challenge that a passkey has answered. The challenge is never accepted again. */
export interface AnsweredChallenge extends RecordOf<typeof tables.answers> {}

/** Describes the one-time codes of an account that signs in with them. */
export interface Codes extends Omit<StoredCodes, "userId" | "begun" | "secret"> {
  /** The secret is sealed. */
  readonly secret: string;
}

/** Codes with the mark of a begun enrolment. Without a secret, codes are off. */
export interface StoredCodes extends RecordOf<typeof tables.codes> {}

/**
 * Describes a browser that was signed in with a code, and that needs no code until the device
 * expires.
 */
export interface Device {
  /** The ID is the SHA-256 of the device cookie, in base64url. */
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The device is a text such as `Firefox on Linux`. It is empty if the device is unknown. */
  readonly device: string;
  /**
   * The value is a digest of how the account signed in at that time. The device is valid while the
   * digest stays the same.
   */
  readonly boundTo: string;
}

export interface Link {
  readonly id: string;
  /** The value is the SHA-256 of the token, in base64url. */
  readonly tokenHash: string;
  readonly purpose: LinkPurpose;
  /** The link resets the password of this user. */
  readonly userId?: UserId;
  /** The new account gets this username. For a guest, the username is made from this text. */
  readonly name?: string;
  /** The new account gets these groups. */
  readonly groups?: readonly string[];
  /** The new account ends at this time. */
  readonly endsAt?: Date;
  /** The account of a guest lasts this long. If absent, it lasts until the link expires. */
  readonly guestSeconds?: number;
  /**
   * The administrator who made the link had this username at that time. The field is absent if a
   * command made the link.
   */
  readonly madeBy?: string;
  /**
   * This account belongs to that administrator. The link works only while the account is an
   * administrator.
   */
  readonly makerId?: UserId;
  /** The link works only while the `sessionsFrom` of that account is at most this value. */
  readonly makerValidUpTo?: number;
  /** The new account opens the apps with these IDs. Its groups contain those that they require. */
  readonly apps?: readonly string[];
  /** The link was sent to this e-mail address, which its use verifies. */
  readonly email?: string;
  readonly expiresAt: Date;
  readonly usesLeft: number;
}

/** Describes an API key, with which a program opens apps under its account. */
export interface Key {
  readonly id: string;
  readonly userId: UserId;
  /** The user chooses this name. */
  readonly name: string;
  /** The value is the SHA-256 of the text of the API key. */
  readonly hash: string;
  /**
   * The API key opens only these hosts. If absent, it opens all hosts that the account may open.
   */
  readonly hosts?: readonly string[];
  readonly createdAt: Date;
  /** If absent, the API key never expires. */
  readonly expiresAt?: Date;
  readonly usedAt?: Date;
  /**
   * The API key was made in a session whose sign-in had this many factors. If absent, the number is
   * one.
   */
  readonly factors?: number;
}

/** Describes something that people open with their account. */
export interface App {
  /** The ID is also the client ID for OpenID Connect. */
  readonly id: string;
  readonly name: string;
  /** The launcher shows the app under this heading. */
  readonly section?: string;
  /** People open the app at this URL. Forward auth finds the app by its host. */
  readonly url?: string;
  /** A reverse proxy forwards to this address. */
  readonly upstream?: string;
  /** Only members of one of these groups may open the app. If absent, all users except guests may. */
  readonly groups?: readonly string[];
  /** The value is 2 if the app requires a second factor. */
  readonly factors?: number;
  /** The app speaks OpenID Connect if it has a type. A public client has no secret. */
  readonly clientType?: ClientType;
  /** The list contains redirect URIs, with a space between them. */
  readonly redirects?: string;
  /** The list contains the URIs to which a sign-out can return, with a space between them. */
  readonly signOutRedirects?: string;
  /** The app learns at this URL that a session has ended. */
  readonly backchannelUrl?: string;
  /** The value is 1 if each person must agree before the app learns who they are. */
  readonly consent?: number;
  /** ID tokens for the app are signed with this algorithm. The default is RS256. */
  readonly signing?: SigningAlgorithm;
  /** The value is 1 if the app is turned off: it keeps its settings, and nobody may open it. */
  readonly off?: number;
  readonly createdAt: Date;
}

/** Describes a secret with which an app authenticates. Only its hash is known. */
export interface AppSecret extends RecordOf<typeof tables.app_secrets> {}

/** Describes an image of an app for light or for dark pages. */
export interface AppIcon extends RecordOf<typeof tables.app_icons> {}

/** Returns the ID of the consent of a person for an app. */
export const toConsentId = (appId: string, userId: UserId): string => `${appId}/${userId}`;

/** Describes what apps learn about a person besides the username. It identifies nobody. */
export interface Profile extends RecordOf<typeof tables.profiles> {}

/** Describes what a person has agreed to for an app. */
export interface Consent extends RecordOf<typeof tables.consents> {}

/** Returns the ID under which the uses of an app by a person are noted. */
export const toAppUseId = (appId: string, userId: UserId): string => `${appId}/${userId}`;

/** Describes when a person has last opened an app, and when the app was last refused to them. */
export interface AppUse extends RecordOf<typeof tables.app_uses> {}

/** Describes that a person has signed in to an app with OpenID Connect. */
export interface Grant extends RecordOf<typeof tables.grants> {}

/** Describes a code, a token or a step of OpenID Connect. */
export interface Token extends RecordOf<typeof tables.tokens> {}

/** Describes the message to an app that a session has ended, from the sign-in on. */
export interface SignOut extends RecordOf<typeof tables.sign_outs> {}

/** Describes a message that is sent in the background, until its row expires. */
export interface Delivery extends RecordOf<typeof tables.outbox> {}

/** Describes a request for an account, about which an administrator decides. */
export interface SignUp extends RecordOf<typeof tables.sign_ups> {}

/** So many requests wait at most: anybody can make one. */
export const MAX_SIGN_UPS = 1_000;

/** Describes a key that signs tokens and assertions. */
export interface SigningKey extends RecordOf<typeof tables.signing_keys> {}

/** Describes a username that an account has or had, and that no other account can have. */
export interface UsedName extends RecordOf<typeof tables.used_names> {}

/**
 * When this many entries wait, an instance drops new entries and logs their number in the server
 * log.
 */
export const MAX_WAITING_ENTRIES = 10_000;

/** Describes an entry of the audit log before the store has assigned an ID. */
export interface NewLogEntry {
  readonly at: Date;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
  /** The entry concerns this user, if the user is known. The account may no longer exist. */
  readonly userId?: UserId;
  /** The value is the username of that user at that time, or the number of accounts. */
  readonly subject?: string;
  readonly address?: string;
  readonly device?: string;
}

export interface LogEntry extends NewLogEntry {
  /** The ID increases with every entry, so entries are in the order of their IDs. */
  readonly id: number;
}

/**
 * Defines a rate limit: the number of attempts that one address has within a time window, and the
 * number of addresses that are tracked at once.
 */
export interface AttemptRule {
  readonly attempts: number;
  readonly windowMs: number;
  readonly maxTracked: number;
}
