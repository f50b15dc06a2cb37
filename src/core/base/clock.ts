/** The clocks of the rules, passed in so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970. May jump when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back: for windows and ages. */
  monotonic(): number;
}
