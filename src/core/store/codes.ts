import type { Codes, UserId } from "../records.ts";

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
   * Uses up a step, and those before. Sets the wrong codes to 0, and the secret if it is still
   * `from`: others may have replaced it since it was read.
   *
   * @param limit Not after so many wrong codes.
   */
  useStep(
    user: UserId,
    step: number,
    secret: { readonly from: string; readonly to: string },
    limit: number,
  ): Promise<boolean>;
  /** Uses up a recovery code, and sets the wrong codes to 0. */
  useRecovery(user: UserId, hash: string): Promise<boolean>;
  /** Replaces the recovery codes if codes are on, and counts it in `renewals`. */
  renewRecovery(user: UserId, hashes: readonly string[]): Promise<boolean>;
  /** Counts a wrong code, up to the limit, and returns how many there are now. */
  countWrong(user: UserId, limit: number): Promise<number | undefined>;
}
