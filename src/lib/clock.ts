/** The clocks of the rules, passed in so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970. May jump when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back: for windows and ages. */
  monotonic(): number;
}

/** Sessions end even if the clock of the issuing instance is this far ahead. */
export const CLOCK_MARGIN_SECONDS = 120;

export const secondsOf = ({ now }: Pick<Clock, "now">): number => Math.floor(now() / 1_000);

/** Tokens have a time in whole seconds, so sessions of the current second end as well. */
export const nextSecond = (clock: Pick<Clock, "now">): number => secondsOf(clock) + 1;
