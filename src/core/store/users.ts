import type { NewUser, PasswordHash, StoredUser, User, UserId } from "../records.ts";
import type { AskingSession, EndOfSessions } from "./sessions.ts";

export interface UserStore {
  /** Whether there is a user. */
  any(): Promise<boolean>;
  /** For administration: also finds a user whose account has ended. */
  find(id: UserId): Promise<StoredUser | undefined>;
  /** The same by its username. Exact match: no trimming, no case folding, no normalisation. */
  findByName(username: string): Promise<StoredUser | undefined>;
  /** Finds a user whose account has not ended. Whoever signs in or is signed in is read in this way. */
  findActive(id: UserId, now: Date): Promise<StoredUser | undefined>;
  /** The same by its username. */
  findActiveByName(username: string, now: Date): Promise<StoredUser | undefined>;
  /** A page of all users, sorted by ID, byte by byte. `""` comes before every ID. */
  read(afterId: string, limit: number): Promise<readonly StoredUser[]>;
  /**
   * Inserts a user if there is none: of concurrent callers one gets it, the others `undefined`. Any
   * username is free for it.
   */
  insertFirst(user: NewUser): Promise<User | undefined>;
  /**
   * Inserts a user with a new ID. `undefined` if another one has or had a username of the same
   * `nameKeyOf`. The name of a guest who has ended is free again after 30 days.
   */
  insert(user: NewUser): Promise<User | undefined>;
  /** `taken` as for `insert`. A user can have its own earlier names again. */
  rename(id: UserId, username: string): Promise<"renamed" | "taken" | "missing">;
  /** Whether `insert` would refuse the username. */
  isNameUsed(username: string): Promise<boolean>;
  /** Frees a username that no user has. Returns whether it was used. */
  forgetName(username: string): Promise<boolean>;
  /** @param keep As for `remove`. */
  setGroups(
    id: UserId,
    groups: readonly string[],
    keep?: Kept,
  ): Promise<"set" | "last-admin" | "missing">;
  /**
   * Removes a user with all that belongs to it. The last account without an end stays, also if two
   * are removed at the same time.
   *
   * @param keep The last of these in the group `admins` stays, too, also while others leave it.
   */
  remove(id: UserId, keep?: Kept): Promise<"removed" | "last" | "last-admin" | "missing">;
  /**
   * Sets the hash while it is still `from`, so that no concurrent change is lost silently, and removes
   * the links of the user.
   *
   * @param keep For another hash of the same password: the links stay.
   */
  replaceHash(id: UserId, from: PasswordHash, to: PasswordHash, keep?: "links"): Promise<boolean>;
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
  /** Does this for every user, and returns their number. */
  endAllSessions(before: number): Promise<number>;
}

/** What a change of an account must leave. */
export type Kept = "an-admin";
