import type { Link, NewUser, User } from "../records.ts";

export interface LinkStore {
  /** Keeps a new link, and returns `false` for one whose maker does not let it be used. */
  insert(link: Link): Promise<boolean>;
  /**
   * By the hash of its token, if it can still be used. A link with `makerId` can be used only while
   * that account is not a guest, has not ended, has the group `admins`, and its `sessionsFrom` is at
   * most `makerValidUpTo`; one with `madeBy` alone never. This also holds for `read`, `use` and
   * `revoke`. Such a link is gone for good once its maker is removed or leaves the group.
   */
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
