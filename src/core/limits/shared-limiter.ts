import { messageOf } from "../base/fault.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ServerLog } from "../base/server-log.ts";
import {
  type Attempt,
  type AttemptLimiter,
  type AttemptRule,
  attemptRule,
} from "./attempt-limiter.ts";
import { networkOf } from "./network.ts";

/** A store that counts attempts for all instances that share it, with its own clock. */
export interface AttemptCounter {
  /**
   * Checks the window and records the attempt in one step. A denied attempt is not recorded.
   *
   * @param address With a kind of attempts and a space before it unless it is a sign-in by password.
   *   Each kind has its own limit of tracked addresses.
   */
  recordAttempt(address: string, rule: AttemptRule): Promise<Attempt>;
  /** Removes the addresses without an attempt in the window. */
  forgetAttempts(rule: AttemptRule): Promise<void>;
}

/** The limiter of one kind of sign-in: this process's own or the shared one. */
export interface Limiter {
  attempt(address: string): MaybePromise<Attempt>;
  cleanUp(): MaybePromise<void>;
}

/** Applies one limit to all instances. While the store fails, each instance counts separately. */
export function createSharedLimiter(
  counter: AttemptCounter,
  own: AttemptLimiter,
  log: ServerLog,
): Limiter {
  return {
    attempt(address) {
      return counter.recordAttempt(address, attemptRule).catch((error) => {
        log.warn(
          { reason: messageOf(error) },
          "the shared rate limiter failed: this instance counts by itself",
        );
        return own.attempt(address);
      });
    },
    cleanUp() {
      own.cleanUp();
      return counter.forgetAttempts(attemptRule).catch((error) => {
        log.warn({ reason: messageOf(error) }, "cannot clean up the shared rate limiter");
      });
    },
  };
}

/**
 * Counts all addresses of an IPv6 network together; with a prefix length of 128, each separately.
 *
 * @param kind Of attempts that a shared limiter counts apart from sign-ins by password.
 */
export const limitByNetwork = (
  limiter: Limiter,
  ipv6Prefix: number,
  kind?: "passkey",
): Limiter => ({
  attempt: (address) => {
    const network = networkOf(address, ipv6Prefix);
    return limiter.attempt(kind === undefined ? network : `${kind} ${network}`);
  },
  cleanUp: () => limiter.cleanUp(),
});
