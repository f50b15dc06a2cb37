import type { Clock } from "../../src/lib/clock.ts";

export interface FakeClock extends Clock {
  /** Advances both clocks. */
  advance(milliseconds: number): void;
}

export function fakeClock(now: number = Date.UTC(2030, 0, 1)): FakeClock {
  let passed = 0;
  return {
    now: () => now + passed,
    monotonic: () => passed,
    advance(milliseconds) {
      passed += milliseconds;
    },
  };
}
