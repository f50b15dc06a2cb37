import type { Link, NewUser, User } from "../records.ts";

export interface LinkStore {
  /** Keeps a new link. */
  insert(link: Link): Promise<void>;
  /** By the hash of its token, if it can still be used. */
  find(tokenHash: string, now: Date): Promise<Link | undefined>;
  /** A page of those that can still be used, sorted by ID. `""` comes before every ID. */
  read(afterId: string, limit: number, now: Date): Promise<readonly Link[]>;
  /**
   * Uses up one use and inserts the account; a taken username uses up nothing. If the link has a user:
   * sets that user's hash, ends all sessions, removes every link of the user, and turns codes off
   * for `reset-codes-off`.
   */
  use(link: Link, account: NewUser, now: Date): Promise<User | "taken" | "gone">;
  /** Removes a link that can still be used, and returns it. */
  revoke(id: string, now: Date): Promise<Link | undefined>;
  /**
   * Removes expired links, and guests whose account has ended, whom it returns. Frees the names of
   * guests that ended 30 days ago.
   */
  removeEnded(now: Date): Promise<readonly User[]>;
}
