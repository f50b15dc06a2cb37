import type { AttemptRule } from "../limits/attempt-limiter.ts";

/** Counts attempts with the clock of the database. */
export interface AttemptStore {
  /**
   * Checks the window and records the attempt. A denied attempt is not recorded.
   *
   * @param address After the kind of attempt and a space, which a sign-in by password lacks. Each
   *   kind has its own limit of tracked addresses.
   */
  record(address: string, rule: AttemptRule): Promise<"allowed" | "denied">;
  /** Removes the addresses without an attempt in the window. */
  forget(rule: AttemptRule): Promise<void>;
}
