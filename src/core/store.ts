declare const brand: unique symbol;

/** Given by the store when it inserts the user, and carried in session tokens. */
export type UserId = string & { readonly [brand]: "UserId" };

/** A one-way hash in the text form that its algorithm defines (PHC, or bcrypt's own). */
export type PasswordHash = string & { readonly [brand]: "PasswordHash" };

/** What the rest of an application gets to see of a user: never the hash. */
export interface User {
  readonly id: UserId;
  readonly username: string;
}

export interface StoredUser extends User {
  readonly passwordHash: PasswordHash;
}

export interface NewUser {
  readonly username: string;
  readonly passwordHash: PasswordHash;
}

export interface NewLogEntry {
  readonly at: Date;
  readonly type: string;
  readonly summary: string;
  readonly author: string;
}

export interface LogEntry extends NewLogEntry {
  /** Grows with every entry, so that it also tells their order. */
  readonly id: number;
}

/**
 * What the rules need of a database. Every call may fail by throwing; a store that is busy or
 * unreachable throws an `Unavailable`, so that pages can answer 503 instead of 500.
 */
export interface Store {
  countUsers(): Promise<number>;
  findUser(id: UserId): Promise<StoredUser | undefined>;
  /** Exact match: no trimming, no case folding, no normalisation. */
  findUserByUsername(username: string): Promise<StoredUser | undefined>;

  /**
   * Inserts the user only if there is none yet: one atomic step, across every process and machine
   * that shares the database. Of any number of racers one gets the user, the others `undefined`.
   */
  insertFirstUser(user: NewUser): Promise<User | undefined>;

  /**
   * Replaces the hash only while it is still `from`. Answers whether it did, so that of two
   * changes made at the same time neither is silently lost.
   */
  replacePasswordHash(id: UserId, from: PasswordHash, to: PasswordHash): Promise<boolean>;

  /** All of the entries or none of them, in the order given. */
  insertLogEntries(entries: readonly NewLogEntry[]): Promise<void>;
}

/** A store as `latchkey log` reads it. Kept apart, since the service itself never reads its log. */
export interface LogReader {
  /** Oldest first. */
  readLogEntries(query: LogQuery): Promise<readonly LogEntry[]>;
  /** The ID that `readLogEntries` has to start after to get the newest `limit` matching entries. */
  startOfNewest(limit: number, filter: LogFilter): Promise<number>;
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}
