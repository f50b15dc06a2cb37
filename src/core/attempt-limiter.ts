export interface AttemptRule {
  readonly attempts: number;
  readonly windowMs: number;
  readonly maxTracked: number;
}

export const attemptRule: AttemptRule = { attempts: 5, windowMs: 60_000, maxTracked: 10_000 };

/** How often `cleanUp` is due. */
export const CLEAN_UP_EVERY_MS: number = 5 * 60_000;

export type Attempt = "allowed" | "denied";

/**
 * A sliding log of sign-in attempts for each remote address, in this process's memory only.
 *
 * Once more than 10,000 addresses are tracked, every further attempt is denied, that of a tracked
 * address too, until a clean-up has removed enough of them: a flood from very many addresses
 * closes the sign-in instead of opening it.
 */
export interface AttemptLimiter {
  /** Looks at the window and records the attempt in one step. A denied one is not recorded. */
  attempt(address: string): Attempt;
  cleanUp(): void;
  readonly tracked: number;
}

export function createAttemptLimiter(clock: { monotonic(): number }): AttemptLimiter {
  const attemptsOf = new Map<string, number[]>();

  const withinWindow = (attempts: readonly number[]): number[] => {
    const start = clock.monotonic() - attemptRule.windowMs;
    return attempts.filter((at) => at > start);
  };

  return {
    attempt(address) {
      const recent = withinWindow(attemptsOf.get(address) ?? []);
      if (recent.length >= attemptRule.attempts) return "denied";
      if (attemptsOf.size > attemptRule.maxTracked) return "denied";
      recent.push(clock.monotonic());
      attemptsOf.set(address, recent);
      return "allowed";
    },

    cleanUp() {
      for (const [address, attempts] of attemptsOf) {
        const recent = withinWindow(attempts);
        if (recent.length === 0) attemptsOf.delete(address);
        else attemptsOf.set(address, recent);
      }
    },

    get tracked() {
      return attemptsOf.size;
    },
  };
}
