import { attemptRule } from "../../../src/identity/attempt-limiter.ts";
import type { Life } from "../gate.ts";
import { promise } from "./violation.ts";

interface Attempt {
  readonly from: number;
  until: number;
}

interface Attempts {
  readonly counted: Attempt[];
  /** Not answered, or not yet. */
  readonly maybe: Set<Attempt>;
}

/** Checks the limit of sign-in attempts of each address, on each gate or on all together. */
export interface AttemptModel {
  /** An attempt begins. `outcome` is `undefined` without an answer. */
  begin(life: Life, address: string): (outcome: "counted" | "denied" | undefined) => void;
}

export function createAttemptModel(
  now: () => number,
  limiter: "own" | "shared" = "own",
): AttemptModel {
  const known = new Map<Life | "shared", Map<string, Attempts>>();
  const { attempts: limit, windowMs } = attemptRule;

  return {
    begin(life, address) {
      const counter = limiter === "shared" ? limiter : life;
      const since = counter === "shared" ? (at: number) => now() - at : life.since;
      const ofLife = known.get(counter) ?? new Map<string, Attempts>();
      const ofAddress = ofLife.get(address) ?? { counted: [], maybe: new Set() };
      known.set(counter, ofLife.set(address, ofAddress));
      const { counted, maybe } = ofAddress;
      const attempt: Attempt = { from: now(), until: Number.POSITIVE_INFINITY };
      maybe.add(attempt);
      return (outcome) => {
        if (outcome === undefined) return;
        maybe.delete(attempt);
        attempt.until = now();
        if (outcome === "denied") {
          const sinceBegin = since(attempt.from);
          const recent = counted.filter(({ until }) => since(until) <= windowMs + sinceBegin);
          const isFull = recent.length + maybe.size >= limit;
          promise(isFull, `${address} is rate limited without ${limit} attempts`);
          return;
        }
        counted.push(attempt);
        // The moment at which each counted lies between its begin and its answer.
        const within = counted.filter(({ from }) => since(from) < windowMs);
        promise(within.length <= limit, `${address} has more than ${limit} attempts in a minute`);
      };
    },
  };
}
