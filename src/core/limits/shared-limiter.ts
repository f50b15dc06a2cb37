import { messageOf } from "../base/fault.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { AttemptStore } from "../store.ts";
import type { Attempt, AttemptLimiter } from "./attempt-limiter.ts";
import { networkOf } from "./network.ts";

/** The limiter of one kind of sign-in: this process's own or the shared one. */
export interface Limiter {
  attempt(address: string): MaybePromise<Attempt>;
  cleanUp(): MaybePromise<void>;
}

/** Applies one limit to all instances. While the store fails, each instance counts separately. */
export function createSharedLimiter(
  counter: AttemptStore,
  own: AttemptLimiter,
  log: ServerLog,
): Limiter {
  return {
    attempt(address) {
      return counter.record(address, own.rule).catch((error) => {
        log.warn(
          { reason: messageOf(error) },
          "the shared rate limiter failed: this instance counts by itself",
        );
        return own.attempt(address);
      });
    },
    cleanUp() {
      own.cleanUp();
      return counter.forget(own.rule).catch((error) => {
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
  kind?: "passkey" | "link",
): Limiter => ({
  attempt: (address) => {
    const network = networkOf(address, ipv6Prefix);
    return limiter.attempt(kind === undefined ? network : `${kind} ${network}`);
  },
  cleanUp: () => limiter.cleanUp(),
});
