/** Time as the rules see it: given to them, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970. May jump when somebody sets the machine's clock. */
  now(): number;
  /** Milliseconds since some moment. Never goes back: for windows and ages. */
  monotonic(): number;
}
