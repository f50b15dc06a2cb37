import type { RecordOf, tables } from "./tables.ts";
import type { LinkPurpose, PasswordHash, UserId } from "./values.ts";

export { idOf, type LinkPurpose, type PasswordHash, type UserId } from "./values.ts";

// What an app sees is written out; the compiler compares it with the columns where it is read and
// written. What only the rules see is the record of its table.

/** A user as the app sees it: without the password hash. */
export interface User {
  readonly id: UserId;
  readonly username: string;
  /** Absent if there are none. */
  readonly groups?: readonly string[];
  /** Whether this is a guest, whom guards refuse. Apps decide by groups what a guest may see. */
  readonly guest?: true;
}

/** A user before the store has assigned an ID. */
export type NewUser = Omit<StoredUser, "id" | "sessionsFrom">;

/** A user as the store keeps it. */
export interface StoredUser extends RecordOf<typeof tables.users> {}

/** Whether an account has ended. One whose end is not a valid date has. */
export const hasEnded = ({ endsAt }: Pick<StoredUser, "endsAt">, now: number): boolean =>
  endsAt !== undefined && !(endsAt.getTime() > now);

/** The group of those who manage accounts. The account of the setup is in it. */
export const ADMINS = "admins";

/** In place of the hash of a guest, who has no password: no password matches it. */
export const NO_PASSWORD = "$guest$" as PasswordHash;

/** In place of the hash of an account that has no password yet: no password matches it. */
export const UNSET_PASSWORD = "$unset$" as PasswordHash;

/**
 * What the app sees of a stored user. Frozen with its groups, because several requests get the same
 * object: a handler that adds a group would open other pages to that user.
 */
export const toPublicUser = ({
  passwordHash,
  sessionsFrom: _,
  endsAt: __,
  groups,
  ...user
}: StoredUser): User =>
  Object.freeze({
    ...user,
    // A copy: a store of the app may go on to change its own list.
    ...(groups && { groups: Object.freeze([...groups]) }),
    ...(passwordHash === NO_PASSWORD && ({ guest: true } as const)),
  });

/** A user with what an operator sees beside it. */
export interface Account extends User {
  /** From then on, the account is as if it were removed. */
  readonly endsAt?: Date;
  /** Sessions from earlier sign-ins have ended. */
  readonly sessionsFrom?: Date;
}

/** The account of a stored user. */
export function toAccount(stored: StoredUser): Account {
  const { endsAt, sessionsFrom } = stored;
  return Object.freeze({
    ...toPublicUser(stored),
    ...(endsAt && { endsAt }),
    ...(sessionsFrom !== undefined && { sessionsFrom: new Date(sessionsFrom * 1_000) }),
  });
}

/** An account as administrators see it. */
export interface Person {
  readonly user: User;
  readonly endsAt?: Date;
  /** The last sign-in in the log. */
  readonly signedInAt?: Date;
  /** How many there are. */
  readonly sessions: number;
  /** Whether the account uses one-time codes. */
  readonly codes: boolean;
  readonly passkeys: boolean;
}

/** How precise the time of the last use of a session or key is: it is noted this often. */
export const USE_PRECISION_MS = 3_600_000;

/** A signed-in browser. */
export interface Session {
  /** The claim `jti` of its token. */
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly usedAt: Date;
  /** Not before the expiry of the token. */
  readonly expiresAt: Date;
  readonly address: string;
  /** Such as `Firefox on Linux`; empty if unknown. */
  readonly device: string;
  /** The only host that accepts it; absent for a session of the sign-in itself. */
  readonly host?: string;
}

/** A session that may have ended: it stays until it expires. */
export interface StoredSession extends RecordOf<typeof tables.sessions> {}

/** A session on its way from the sign-in to another host. */
export interface Handoff extends RecordOf<typeof tables.handoffs> {}

export interface Passkey {
  /** The credential ID, in base64url. */
  readonly id: string;
  readonly userId: UserId;
  /** What the user calls it. */
  readonly name: string;
  /** The public key as SubjectPublicKeyInfo, in base64url. */
  readonly key: string;
  /** The last signature counter; 0 for a passkey that does not count. */
  readonly counter: number;
  readonly addedAt: Date;
  readonly usedAt?: Date;
}

/** A challenge that a passkey has answered: never accepted again. */
export interface AnsweredChallenge extends RecordOf<typeof tables.answers> {}

/** The one-time codes of an account that signs in with them. */
export interface Codes extends Omit<StoredCodes, "userId" | "begun" | "secret"> {
  /** Sealed. */
  readonly secret: string;
}

/** Codes with the mark of a begun enrolment. Without a secret, they are off. */
export interface StoredCodes extends RecordOf<typeof tables.codes> {}

/** A browser that was signed in with a code, and is not asked for one until it expires. */
export interface Device {
  /** The SHA-256 of its cookie, in base64url. */
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Such as `Firefox on Linux`; empty if unknown. */
  readonly device: string;
  /** A digest of how the account signed in then. It counts while that is the same. */
  readonly boundTo: string;
}

/** A one-time link. */
export interface Link {
  readonly id: string;
  /** The SHA-256 of its token, in base64url. */
  readonly tokenHash: string;
  readonly purpose: LinkPurpose;
  /** Whose password it resets. */
  readonly userId?: UserId;
  /** The username of the account; for a guest, the text that it is made of. */
  readonly name?: string;
  /** Of the account that it makes. */
  readonly groups?: readonly string[];
  /** When that account ends. */
  readonly endsAt?: Date;
  /** How long a guest stays. Without it, until the link expires. */
  readonly guestSeconds?: number;
  /** The username of the administrator who made it, at that time; absent for a command. */
  readonly madeBy?: string;
  /** The account of that administrator. The link works only while the account is one. */
  readonly makerId?: UserId;
  /** The largest `sessionsFrom` of that account with which the link works. */
  readonly makerValidUpTo?: number;
  readonly expiresAt: Date;
  readonly usesLeft: number;
}

/** A key with which a program opens apps as its account. */
export interface Key {
  readonly id: string;
  readonly userId: UserId;
  /** What the user calls it. */
  readonly name: string;
  /** The SHA-256 of its text. */
  readonly hash: string;
  /** The only hosts that it opens. Absent: all that the account may open. */
  readonly hosts?: readonly string[];
  readonly createdAt: Date;
  /** Absent: never. */
  readonly expiresAt?: Date;
  readonly usedAt?: Date;
  /** Of the sign-in in whose session it was made. Absent: one. */
  readonly factors?: number;
}

/** A username that an account has or had, and that no other account can have. */
export interface UsedName extends RecordOf<typeof tables.used_names> {}

/** With this many waiting entries, an instance drops new ones, and counts them in the server log. */
export const MAX_WAITING_ENTRIES = 10_000;

/** An entry of the audit log before the store has assigned an ID. */
export interface NewLogEntry {
  readonly at: Date;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
  /** Whom the entry concerns, if known. The account may be gone. */
  readonly userId?: UserId;
  /** Their username at that time, or the number of accounts. */
  readonly subject?: string;
  readonly address?: string;
  readonly device?: string;
}

export interface LogEntry extends NewLogEntry {
  /** Increases with every entry, so it is also the order of the entries. */
  readonly id: number;
}

/** A rate limit: how many attempts of one address within a time, of so many addresses at once. */
export interface AttemptRule {
  readonly attempts: number;
  readonly windowMs: number;
  readonly maxTracked: number;
}
