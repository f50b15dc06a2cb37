import type { AttemptRule } from "../db/records.ts";

export const attemptRule: AttemptRule = { attempts: 5, windowMs: 60_000, maxTracked: 10_000 };

/**
 * The limit applies to one-time links. It is higher, since an office opens its invitations from one
 * address.
 */
export const linkRule: AttemptRule = { ...attemptRule, attempts: 20 };

/**
 * The limit applies to handoff codes, by session: a start page opens all apps at once. Each code is
 * a row in the database, so unlimited codes would let one guest slow down every user.
 */
export const handoffRule: AttemptRule = { ...attemptRule, attempts: 60, maxTracked: 100_000 };

/**
 * The limit applies to sign-ins to apps that a client without a session begins. Each is a row in the
 * database until it expires, so unlimited ones would fill the disk. A household or an office shares
 * an address.
 */
export const appSignInRule: AttemptRule = { ...attemptRule, attempts: 600, maxTracked: 100_000 };

/**
 * The limit applies to addresses that an account wants to confirm: each gets a message, and may
 * belong to somebody else.
 */
export const confirmationRule: AttemptRule = {
  attempts: 5,
  windowMs: 60 * 60_000,
  maxTracked: 10_000,
};

/** `cleanUp` must be called at this interval. */
export const CLEAN_UP_EVERY_MS: number = 5 * 60_000;

export type Attempt = "allowed" | "denied";

/**
 * Keeps a sliding log of sign-in attempts per remote address, in the memory of this process. While
 * it tracks more than 10,000 addresses, it denies every attempt, also from tracked addresses, until
 * a clean-up has removed enough: a flood from many addresses must not bypass the limit.
 */
export interface AttemptLimiter {
  /** Checks the window and records the attempt in one step. A denied attempt is not recorded. */
  attempt(address: string): Attempt;
  /** Returns whether the address has no attempt left. Records nothing. */
  isSpent(address: string): boolean;
  cleanUp(): void;
  readonly tracked: number;
  readonly rule: AttemptRule;
}

export function createAttemptLimiter(
  clock: { monotonic(): number },
  rule: AttemptRule = attemptRule,
): AttemptLimiter {
  const attemptsByAddress = new Map<string, number[]>();

  const selectRecent = (attempts: readonly number[]): number[] => {
    const start = clock.monotonic() - rule.windowMs;
    return attempts.filter((at) => at > start);
  };

  return {
    rule,

    attempt(address) {
      const recent = selectRecent(attemptsByAddress.get(address) ?? []);
      if (recent.length >= rule.attempts) return "denied";
      if (attemptsByAddress.size > rule.maxTracked) return "denied";
      recent.push(clock.monotonic());
      attemptsByAddress.set(address, recent);
      return "allowed";
    },

    isSpent: (address) =>
      selectRecent(attemptsByAddress.get(address) ?? []).length >= rule.attempts,

    cleanUp() {
      for (const [address, attempts] of attemptsByAddress) {
        const recent = selectRecent(attempts);
        if (recent.length === 0) attemptsByAddress.delete(address);
        else attemptsByAddress.set(address, recent);
      }
    },

    get tracked() {
      return attemptsByAddress.size;
    },
  };
}
