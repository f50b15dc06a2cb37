import type { Clock } from "../base/clock.ts";
import type { Event } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Extra, NewUser, Store, StoredUser, TransferUser, User, UserId } from "../store.ts";

/** What the account commands need beside the `Store`; `testAccounts` checks it. */
export interface AccountStore extends Store, UserReader, AccountChanges, ExtraStore {}

/** A store that keeps the extras of users. `findUser` and the other readers return them. */
export interface ExtraStore {
  /**
   * Replaces the extra only while it is still `from`, and returns whether it did. `undefined` means
   * that the user does not have it. Watchers learn of it as of every change of a user.
   */
  replaceExtra(
    id: UserId,
    extra: Extra,
    from: string | undefined,
    to: string | undefined,
  ): Promise<boolean>;
  /** Whether any user has it. */
  hasExtra(extra: Extra): Promise<boolean>;
}

export interface AccountChanges {
  /** Returns `undefined` when the username is taken. */
  insertUser(user: NewUser): Promise<User | undefined>;
  renameUser(id: UserId, username: string): Promise<"renamed" | "taken" | "missing">;
  /** One atomic step: when the last two users are removed at the same time, one stays. */
  removeUser(id: UserId): Promise<"removed" | "last" | "missing">;
  /**
   * Ends every session of the user that was issued before that second, in one atomic step. Raises
   * `sessionsFrom` in any case. Returns `undefined` for an unknown user.
   */
  endSessions(of: UserId, before: number): Promise<EndOfSessions | undefined>;
  /** Does so for every user, and returns their number. */
  endAllSessions(before: number): Promise<number>;
}

/** What `endSessions` has changed. */
export interface EndOfSessions {
  /** The user as it was until then. */
  readonly was: StoredUser;
  /** The new one: a token that records it counts. */
  readonly sessionsFrom: number;
}

/** A store that can list its users. */
export interface UserReader {
  /** Sorted by ID, byte by byte. */
  readUsers(query: UserQuery): Promise<readonly TransferUser[]>;
}

interface UserQuery {
  /** `""` comes before every ID. */
  readonly afterId: string;
  readonly limit: number;
}

/** What the rules of the account commands need. */
export interface AccountPorts {
  readonly store: AccountStore;
  readonly passwords: Pick<Passwords, "hash">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an entry of the audit log. */
  readonly record: (event: Event) => Promise<void>;
}
