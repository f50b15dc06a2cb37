import { Fault, messageOf } from "../base/fault.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { AttemptStore } from "../store.ts";
import type { Attempt, AttemptLimiter, AttemptRule } from "./attempt-limiter.ts";
import { networkOf } from "./network.ts";

/** The limiter of one kind of sign-in: this process's own or the shared one. */
export interface Limiter {
  attempt(address: string): MaybePromise<Attempt>;
  cleanUp(): MaybePromise<void>;
}

interface LimiterParts {
  /** Applies one limit to all instances. Without it, each instance counts separately. */
  readonly shared?: AttemptStore | undefined;
  /** Addresses of one IPv6 network count together; with a prefix length of 128, each separately. */
  readonly ipv6Prefix: number;
  /** Of attempts that a shared limiter counts apart from sign-ins by password. */
  readonly kind?: "passkey" | "link" | undefined;
}

/** While the shared counter fails, each instance counts separately. */
export function createLimiter(
  own: AttemptLimiter,
  { shared, ipv6Prefix, kind }: LimiterParts,
  log: ServerLog,
): Limiter {
  return {
    attempt(address) {
      const network = networkOf(address, ipv6Prefix);
      const counted = kind === undefined ? network : `${kind} ${network}`;
      if (shared === undefined) return own.attempt(counted);
      return record(shared, counted, own.rule).catch((error) => {
        log.warn({ reason: messageOf(error) }, FAILED);
        return own.attempt(counted);
      });
    },

    cleanUp() {
      own.cleanUp();
      // A store can be foreign code that throws at once, which in a timer would end the process.
      return (async () => shared?.forget(own.rule))().catch((error) => {
        log.warn({ reason: messageOf(error) }, "cannot clean up the shared rate limiter");
      });
    },
  };
}

/** Of a foreign store, nothing but its two answers counts. */
async function record(store: AttemptStore, address: string, rule: AttemptRule): Promise<Attempt> {
  const answer: unknown = await store.record(address, rule);
  if (answer === "allowed" || answer === "denied") return answer;
  throw new Fault("store_broken", "attempts.record of the store did not return allowed or denied");
}

const FAILED = "the shared rate limiter failed: this instance counts by itself";
