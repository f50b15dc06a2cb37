declare const brand: unique symbol;

/** Assigned by the store when the user is inserted, and carried in session tokens. */
export type UserId = string & { readonly [brand]: "UserId" };

/** A one-way hash in the text form that its algorithm defines (PHC, or bcrypt's own). */
export type PasswordHash = string & { readonly [brand]: "PasswordHash" };

/** A user as the app sees it: without the password hash. */
export interface User {
  readonly id: UserId;
  readonly username: string;
}

/** What an account has beside its password. Each is a text that only one rule reads and writes. */
export const EXTRAS = ["endedSessions", "codes", "passkeys"] as const;

export type Extra = (typeof EXTRAS)[number];

/** Most users have none. */
export type Extras = Readonly<Partial<Record<Extra, string>>>;

/** A user as the store keeps it. */
export interface StoredUser extends User, Extras {
  readonly passwordHash: PasswordHash;
  /**
   * Seconds since 1970: sessions from earlier sign-ins have ended. Grows each time sessions are
   * ended. Absent for most users.
   */
  readonly sessionsFrom?: number;
}

/** A user as `readUsers` returns it: copies, exports and imports carry the sessions along. */
export interface TransferUser extends StoredUser {
  /** `SessionRow`s as JSON, sorted by ID. Absent if there are none. */
  readonly sessions?: string;
}

/** A user before the store has assigned an ID. */
export interface NewUser {
  readonly username: string;
  readonly passwordHash: PasswordHash;
}

/** An entry of the audit log before the store has assigned an ID. */
export interface NewLogEntry {
  readonly at: Date;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
  /** Whom the entry concerns, if known. The account may be gone. */
  readonly userId?: UserId;
}

/**
 * What the sign-in needs from a database; `testStore` of `latchkey/testing` checks it. A method
 * fails by throwing, with an `Unavailable` where a retry may help, so that pages answer 503.
 */
export interface Store {
  hasUsers(): Promise<boolean>;
  findUser(id: UserId): Promise<StoredUser | undefined>;
  /** Exact match: no trimming, no case folding, no normalisation. */
  findUserByUsername(username: string): Promise<StoredUser | undefined>;

  /**
   * Inserts the user only if the store has none: one atomic step across all processes and machines
   * that share the database. Of concurrent callers one gets the user, the others `undefined`.
   */
  insertFirstUser(user: NewUser): Promise<User | undefined>;

  /**
   * Replaces the hash only while it is still `from`, and returns whether it did, so that neither of
   * two concurrent changes is lost silently.
   */
  replacePasswordHash(id: UserId, from: PasswordHash, to: PasswordHash): Promise<boolean>;

  /**
   * Inserts all entries or none, in the given order. An entry that is passed again after a failure
   * with an unknown outcome is inserted once.
   */
  insertLogEntries(entries: readonly NewLogEntry[]): Promise<void>;

  /** Optional: reports changed users, also those that another process changed. */
  watchUsers?(watching: UserWatching): UserWatch;
}

export interface UserWatching {
  /** The monotonic clock of `UserWatch.confirmedAt`. */
  readonly now: () => number;
  /** Called for a changed user, or with `all` when the store may have missed a change. */
  readonly changed: (id: UserId | "all") => void;
}

export interface UserWatch {
  /** The monotonic time up to which every change has been reported. */
  confirmedAt(): number;
  close(): Promise<void>;
}
