/** Provides the current time. The clock is passed in so that tests can control it. */
export interface Clock {
  /** Returns milliseconds since 1970. The value may jump when the system clock is set. */
  now(): number;
  /**
   * Returns milliseconds since an arbitrary moment. The value never goes back, so windows and ages
   * use it.
   */
  monotonic(): number;
}

/** Sessions end even if the clock of the issuing instance is this far ahead. */
export const CLOCK_MARGIN_SECONDS = 120;

export const readSeconds = ({ now }: Pick<Clock, "now">): number => Math.floor(now() / 1_000);

/**
 * Returns the next whole second. Tokens have a time in whole seconds, so sessions of the current
 * second end as well.
 */
export const nextSecond = (clock: Pick<Clock, "now">): number => readSeconds(clock) + 1;
