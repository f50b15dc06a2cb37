import type { Key, StoredUser, UserId } from "../records.ts";

export interface KeyStore {
  /** By the hash of its text, with its user, whose account may have ended. */
  find(hash: string): Promise<FoundKey | undefined>;
  /** Those of a user, the oldest first. */
  listOf(user: UserId): Promise<readonly Key[]>;
  /** Inserts it unless its ID or hash is known, or the user has that many. */
  insert(key: Key, limit: number): Promise<boolean>;
  /** Removes a key, with `of` only if it is of that user, and returns it. */
  remove(id: string, of?: UserId): Promise<Key | undefined>;
  /** Notes the use of a key that was last used at least an hour earlier. */
  noteUsed(id: string, at: Date): Promise<void>;
}

export interface FoundKey {
  readonly key: Key;
  readonly user: StoredUser;
}
