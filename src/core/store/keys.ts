import type { Key, UserId } from "../records.ts";

export interface KeyStore {
  /** By the hash of its text. */
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
