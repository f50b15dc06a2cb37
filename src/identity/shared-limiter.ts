import type { AttemptPart } from "../db/store.ts";
import { getErrorMessage } from "../lib/fault.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { getNetwork } from "../lib/network.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { Attempt, AttemptLimiter } from "./attempt-limiter.ts";

/** Limits one kind of sign-in, either in this process alone or across all instances. */
export interface Limiter {
  attempt(address: string): MaybePromise<Attempt>;
  cleanUp(): MaybePromise<void>;
}

interface LimiterOptions {
  /** Applies one limit to all instances. Without it, each instance counts separately. */
  readonly shared?: AttemptPart | undefined;
  /**
   * Addresses of one IPv6 network count together. With a prefix length of 128, each address counts
   * separately.
   */
  readonly ipv6Prefix: number;
  /** A shared limiter counts attempts of this kind separately from sign-ins by password. */
  readonly kind?: "passkey" | "link" | "forgot" | undefined;
}

/** Creates a limiter. While the shared counter fails, each instance counts separately. */
export function createLimiter(
  local: AttemptLimiter,
  { shared, ipv6Prefix, kind }: LimiterOptions,
  log: ServerLog,
): Limiter {
  return {
    attempt(address) {
      const network = getNetwork(address, ipv6Prefix);
      const bucket = kind === undefined ? network : `${kind} ${network}`;
      if (shared === undefined) return local.attempt(bucket);
      return shared.record(bucket, local.rule).catch((error) => {
        log.warn({ reason: getErrorMessage(error) }, FAILED);
        return local.attempt(bucket);
      });
    },

    cleanUp() {
      local.cleanUp();
      return shared?.forget(local.rule).catch((error) => {
        log.warn({ reason: getErrorMessage(error) }, "cannot clean up the shared rate limiter");
      });
    },
  };
}

const FAILED = "the shared rate limiter failed: this instance counts by itself";
