import type { AttemptRule } from "./limits/attempt-limiter.ts";
import type {
  AnsweredChallenge,
  Codes,
  Device,
  Handoff,
  Key,
  Link,
  LogEntry,
  NewLogEntry,
  NewUser,
  Passkey,
  PasswordHash,
  Person,
  Session,
  StoredUser,
  User,
  UserId,
} from "./records.ts";

/**
 * A database in named parts; `testStore` of `latchkey/testing` checks each. A part has all its
 * methods or is left out, and with it what needs it. A method fails by throwing, with an
 * `Unavailable` where a retry may help, so that pages answer 503. A method that changes something
 * is one atomic step across all processes and machines, and returns what it did.
 */
export interface Store {
  readonly users: UserStore;
  readonly log: LogStore;
  /** The list of sessions, and the end of single ones. */
  readonly sessions?: SessionStore;
  readonly passkeys?: PasskeyStore;
  readonly codes?: CodeStore;
  readonly devices?: DeviceStore;
  /** What administrators see of accounts. */
  readonly people?: PeopleStore;
  /** One-time links, and the accounts that they make. */
  readonly links?: LinkStore;
  readonly keys?: KeyStore;
  /** A rate limit that all instances share. */
  readonly attempts?: AttemptStore;
  /** Without it, guards read a user again after a second. */
  readonly changes?: UserChanges;
}

/** What a change of an account must leave. */
export type Kept = "an-admin";

export interface UserStore {
  /** Whether there is a user. */
  any(): Promise<boolean>;
  find(id: UserId): Promise<StoredUser | undefined>;
  /** Exact match: no trimming, no case folding, no normalisation. */
  findByName(username: string): Promise<StoredUser | undefined>;
  /** Sorted by ID, byte by byte. `""` comes before every ID. */
  read(afterId: string, limit: number): Promise<readonly StoredUser[]>;
  /** Only if there is no user: of concurrent callers one gets it, the others `undefined`. */
  insertFirst(user: NewUser): Promise<User | undefined>;
  /** `undefined` when the username is taken. */
  insert(user: NewUser): Promise<User | undefined>;
  rename(id: UserId, username: string): Promise<"renamed" | "taken" | "missing">;
  /** @param keep As for `remove`. */
  setGroups(
    id: UserId,
    groups: readonly string[],
    keep?: Kept,
  ): Promise<"set" | "last-admin" | "missing">;
  /**
   * With all that belongs to it. A last account without an end stays, also of two at the same time.
   *
   * @param keep Such an account in the group `admins` stays as well, also when others leave the group.
   */
  remove(id: UserId, keep?: Kept): Promise<"removed" | "last" | "last-admin" | "missing">;
  /** Only while the hash is still `from`, so that no concurrent change is lost silently. */
  replaceHash(id: UserId, from: PasswordHash, to: PasswordHash): Promise<boolean>;
  /**
   * Ends every session of the user that was issued before that second, and removes them from the
   * list. Raises `sessionsFrom` in any case. `undefined` for an unknown user.
   *
   * @param asker The result tells whether this session was valid until then.
   */
  endSessions(
    id: UserId,
    before: number,
    asker?: AskingSession,
  ): Promise<EndOfSessions | undefined>;
  /** Does so for every user, and returns their number. */
  endAllSessions(before: number): Promise<number>;
}

/** The session that asks for the end of all others of its user. */
export interface AskingSession {
  readonly id: string | undefined;
  /** It has ended if the user's `sessionsFrom` is larger. */
  readonly validUpTo: number;
}

export interface EndOfSessions {
  /** A token that records it counts. */
  readonly sessionsFrom: number;
  readonly asker: "was-valid" | "had-ended";
}

export interface SessionStore {
  /** Unless its ID is known. Also removes some that expired two minutes before it was created. */
  insert(session: Session): Promise<void>;
  /** Those below have not ended. */
  find(id: string): Promise<Session | undefined>;
  /** Of a user, without those that have expired, the most recently used first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Session[]>;
  /** Of those that were last used at least an hour earlier. */
  noteUsed(ids: readonly string[], at: Date): Promise<void>;
  /** Also one that was never inserted. Returns whether this call has ended it. */
  end(session: Session, at: Date): Promise<boolean>;
  hasEnded(id: string): Promise<boolean>;
  /** Keeps a session for another host. Also removes some that expired two minutes ago. */
  handOff(handoff: Handoff, now: Date): Promise<void>;
  /** Removes it, expired or not: of concurrent callers one gets it. */
  takeHandoff(id: string): Promise<Handoff | undefined>;
}

export interface PasskeyStore {
  /** Whether there is a passkey. */
  any(): Promise<boolean>;
  /** The oldest first. */
  listOf(user: UserId): Promise<readonly Passkey[]>;
  /**
   * Unless its ID is known, or the user has that many.
   *
   * @param sessionsFrom Of the user, when it was begun: not inserted if it has been raised since.
   */
  insert(passkey: Passkey, limit: number, sessionsFrom?: number): Promise<boolean>;
  rename(user: UserId, id: string, name: string): Promise<boolean>;
  remove(user: UserId, id: string): Promise<boolean>;
  /** Returns whether it was not answered before. Also removes some that expired two minutes ago. */
  answer(challenge: AnsweredChallenge, now: Date): Promise<boolean>;
  /** Notes the use, unless the passkey counts and its counter has not grown. */
  use(user: UserId, id: string, counter: number, at: Date): Promise<boolean>;
}

export interface CodeStore {
  /** Whether any account has codes on. */
  any(): Promise<boolean>;
  /** `undefined` while they are off. */
  find(user: UserId): Promise<Codes | undefined>;
  /** Marks that the user begins to turn codes on, in place of an earlier mark; not if they are on. */
  begin(user: UserId, mark: string): Promise<boolean>;
  /** Turns codes on if this is the mark, which is used up. */
  turnOn(user: UserId, mark: string, codes: Codes): Promise<boolean>;
  /** Turns codes off, and removes the mark. Returns whether they were on. */
  turnOff(user: UserId): Promise<boolean>;
  /**
   * Removes codes, mark, devices and passkeys, and ends every session as `users.endSessions` does.
   * `false` for an unknown user.
   */
  endFactors(user: UserId, before: number): Promise<boolean>;
  /**
   * Uses up a step, and those before. Sets the secret, and the wrong codes to 0.
   *
   * @param limit Not after so many wrong codes.
   */
  useStep(user: UserId, step: number, secret: string, limit: number): Promise<boolean>;
  /** Uses up a recovery code, and sets the wrong codes to 0. */
  useRecovery(user: UserId, hash: string): Promise<boolean>;
  /** Replaces the recovery codes if codes are on, and counts it in `renewals`. */
  renewRecovery(user: UserId, hashes: readonly string[]): Promise<boolean>;
  /** Counts a wrong code, up to the limit, and returns how many there are now. */
  countWrong(user: UserId, limit: number): Promise<number | undefined>;
}

export interface DeviceStore {
  /** Removes those of its user that are bound to something else, and some that expired before. */
  insert(device: Device): Promise<void>;
  /** Those below have not expired. */
  find(id: string, now: Date): Promise<Device | undefined>;
  /** The newest first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Device[]>;
  remove(user: UserId, id: string): Promise<boolean>;
}

export interface PeopleStore {
  /** Sorted by username, with all of their facts in a bounded number of queries. */
  list(query: PeopleQuery): Promise<readonly Person[]>;
}

export interface PeopleQuery {
  /** A part of the username, of which ASCII letters match in either case. Empty for all. */
  readonly search: string;
  readonly skip: number;
  readonly limit: number;
  /** Sessions that expire by then are not counted. */
  readonly now: Date;
}

export interface LinkStore {
  insert(link: Link): Promise<void>;
  /** Those below can still be used. */
  find(tokenHash: string, now: Date): Promise<Link | undefined>;
  /** All, sorted by ID. `""` comes before every ID. */
  read(afterId: string, limit: number, now: Date): Promise<readonly Link[]>;
  /**
   * Uses up one use and inserts the account; a taken username uses up nothing. If the link has a user:
   * sets that user's hash and ends all sessions, and turns codes off for `reset-codes-off`.
   */
  use(link: Link, account: NewUser, now: Date): Promise<User | "taken" | "gone">;
  /** Returns the removed link. */
  revoke(id: string, now: Date): Promise<Link | undefined>;
  /** Removes expired links, and guests whose account has ended, whom it returns. */
  removeEnded(now: Date): Promise<readonly User[]>;
}

export interface KeyStore {
  find(hash: string): Promise<Key | undefined>;
  /** The oldest first. */
  listOf(user: UserId): Promise<readonly Key[]>;
  /** Unless its ID or hash is known, or the user has that many. */
  insert(key: Key, limit: number): Promise<boolean>;
  /** Returns the removed key. With `of`, only one of that user is removed. */
  remove(id: string, of?: UserId): Promise<Key | undefined>;
  /** Of a key that was last used at least an hour earlier. */
  noteUsed(id: string, at: Date): Promise<void>;
}

export interface LogStore {
  /**
   * All entries or none, in the given order. An entry that is passed again after a failure with an
   * unknown outcome is inserted once.
   */
  insert(entries: readonly NewLogEntry[]): Promise<void>;
  /** Oldest first. */
  read(query: LogQuery): Promise<readonly LogEntry[]>;
  /** Newest first. */
  newest(query: NewestQuery): Promise<readonly LogEntry[]>;
  /** Removes at most `limit` entries older than `before`, and returns how many it removed. */
  prune(before: Date, limit: number): Promise<number>;
  /** Removes the oldest entries of a type, at most `limit`, and keeps the newest `keep` of them. */
  pruneType(type: string, keep: number, limit: number): Promise<number>;
}

export interface LogFilter {
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
}

export interface NewestQuery extends LogFilter {
  /** Only those that concern this user. */
  readonly userId?: UserId | undefined;
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

export interface LogQuery extends LogFilter {
  readonly afterId: number;
  readonly limit: number;
}

/** Counts attempts with the clock of the database. */
export interface AttemptStore {
  /**
   * Checks the window and records the attempt. A denied attempt is not recorded.
   *
   * @param address With a kind of attempts and a space before it unless it is a sign-in by password.
   *   Each kind has its own limit of tracked addresses.
   */
  record(address: string, rule: AttemptRule): Promise<"allowed" | "denied">;
  /** Removes the addresses without an attempt in the window. */
  forget(rule: AttemptRule): Promise<void>;
}

/** Reports changed users, and users whose sessions or keys have ended, also by another process. */
export interface UserChanges {
  watch(watching: UserWatching): UserWatch;
}

export interface UserWatching {
  /** The clock of `UserWatch.confirmedAt`. */
  readonly monotonic: () => number;
  /** Called for a changed user, or with `all` when the store may have missed a change. */
  readonly changed: (id: UserId | "all") => void;
}

export interface UserWatch {
  /** The monotonic time up to which every change has been reported. */
  confirmedAt(): number;
  close(): Promise<void>;
}
