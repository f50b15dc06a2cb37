import type { AnsweredChallenge, Passkey, UserId } from "../records.ts";

export interface PasskeyStore {
  /** Whether there is a passkey. */
  any(): Promise<boolean>;
  /** Those of a user, the oldest first. */
  listOf(user: UserId): Promise<readonly Passkey[]>;
  /**
   * Inserts it unless its ID is known, or the user has that many.
   *
   * @param sessionsFrom Of the user, when it was begun: not inserted if it has been raised since.
   */
  insert(passkey: Passkey, limit: number, sessionsFrom?: number): Promise<boolean>;
  /** Returns whether the user has it, as does `remove`. */
  rename(user: UserId, id: string, name: string): Promise<boolean>;
  remove(user: UserId, id: string): Promise<boolean>;
  /** Returns whether it was not answered before. Removes some that expired two minutes ago. */
  answer(challenge: AnsweredChallenge, now: Date): Promise<boolean>;
  /** Notes the use, unless the passkey counts and its counter has not grown. */
  use(user: UserId, id: string, counter: number, at: Date): Promise<boolean>;
}
