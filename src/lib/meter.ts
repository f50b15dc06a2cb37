/** The outcomes of a sign-in, in the order of the rule. */
type SignInResult = "needs-setup" | "rate-limited" | "rejected" | "signed-in";

/** Receives what metrics count. Its methods must return at once and never throw. */
export interface Meter {
  /** Called once, at the end of the construction. */
  watch(levels: Levels): void;
  countSignIn(result: SignInResult): void;
  readonly hashes: WorkMeter;
  readonly entries: EntryMeter;
}

/** Values that can be read at any time. */
export interface Levels {
  /** Addresses that the rate limiter of this process tracks. */
  countTrackedAddresses(): number;
  countWaitingEntries(): number;
  countRememberedSessions(): number;
  countRememberedUsers(): number;
}

export interface WorkMeter {
  /** A job waits until the returned function is called. */
  startWaiting(): () => void;
  /** A job runs until the returned function is called. */
  startRunning(): () => void;
  countRefused(): void;
}

export interface EntryMeter {
  countWritten(count: number): void;
  /** An entry was dropped because too many were waiting. */
  countDropped(): void;
  /** A batch could not be written and will be retried. */
  countFailed(): void;
}

const doNothing = (): void => {};

export const noMeter: Meter = {
  watch: doNothing,
  countSignIn: doNothing,
  hashes: { startWaiting: () => doNothing, startRunning: () => doNothing, countRefused: doNothing },
  entries: { countWritten: doNothing, countDropped: doNothing, countFailed: doNothing },
};
