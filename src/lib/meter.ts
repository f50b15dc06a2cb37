/** Lists the outcomes of a sign-in, in the order in which the sign-in checks them. */
type SignInResult = "needs-setup" | "rate-limited" | "rejected" | "signed-in";

/** Receives what metrics count. Its methods must return at once and never throw. */
export interface Meter {
  /** The method is called once, at the end of the construction. */
  watch(levels: Levels): void;
  countSignIn(result: SignInResult): void;
  readonly hashes: WorkMeter;
  readonly entries: EntryMeter;
  readonly outbox: OutboxMeter;
}

/** Provides values that can be read at any time. */
export interface Levels {
  /** Counts the addresses that the rate limiter of this process tracks. */
  countTrackedAddresses(): number;
  countWaitingEntries(): number;
  countRememberedSessions(): number;
  countRememberedUsers(): number;
}

export interface WorkMeter {
  /** Reports that a job waits until the returned function is called. */
  startWaiting(): () => void;
  /** Reports that a job runs until the returned function is called. */
  startRunning(): () => void;
  countRefused(): void;
}

export interface EntryMeter {
  countWritten(count: number): void;
  /** Reports that an entry was dropped because too many entries were waiting. */
  countDropped(): void;
  /** Reports that a batch could not be written and will be retried. */
  countFailed(): void;
}

/** Receives what happens to messages, by their kind. */
export interface OutboxMeter {
  countSent(kind: string): void;
  /** Reports an attempt that failed. Another one may follow. */
  countFailed(kind: string): void;
  /** Reports how many messages of all instances wait, and since when the first of them does. */
  watchWaiting(waiting: number, oldest: Date | undefined): void;
}

const doNothing = (): void => {};

export const noMeter: Meter = {
  watch: doNothing,
  countSignIn: doNothing,
  hashes: { startWaiting: () => doNothing, startRunning: () => doNothing, countRefused: doNothing },
  entries: { countWritten: doNothing, countDropped: doNothing, countFailed: doNothing },
  outbox: { countSent: doNothing, countFailed: doNothing, watchWaiting: doNothing },
};
