import {
  type Attempt,
  type AttemptLimiter,
  type AttemptRule,
  attemptRule,
} from "./attempt-limiter.ts";
import { messageOf } from "./fault.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { networkOf } from "./network.ts";
import type { ServerLog } from "./server-log.ts";

/** A store that can count attempts for every instance that shares it, by its own clock. */
export interface AttemptCounter {
  /** Looks at the window and records the attempt in one step. A denied one is not recorded. */
  recordAttempt(address: string, rule: AttemptRule): Promise<Attempt>;
  /** Removes the addresses that have no attempt left within the window. */
  forgetAttempts(rule: AttemptRule): Promise<void>;
}

/** What the sign-in asks: this process's own limiter, or the one that all share. */
export interface Limiter {
  attempt(address: string): MaybePromise<Attempt>;
  cleanUp(): MaybePromise<void>;
}

/** One limit for all instances. While the store does not answer, each goes by its own count. */
export function createSharedLimiter(
  counter: AttemptCounter,
  own: AttemptLimiter,
  log: ServerLog,
): Limiter {
  return {
    attempt(address) {
      return counter.recordAttempt(address, attemptRule).catch((error) => {
        log.warn({ reason: messageOf(error) }, "the shared limiter fails: counting alone");
        return own.attempt(address);
      });
    },
    cleanUp() {
      own.cleanUp();
      return counter.forgetAttempts(attemptRule).catch((error) => {
        log.warn({ reason: messageOf(error) }, "the shared limiter was not cleaned up");
      });
    },
  };
}

/** Counts all addresses of an IPv6 network together. With a prefix length of 128, each by itself. */
export const limitByNetwork = (limiter: Limiter, ipv6Prefix: number): Limiter => ({
  attempt: (address) => limiter.attempt(networkOf(address, ipv6Prefix)),
  cleanUp: () => limiter.cleanUp(),
});
