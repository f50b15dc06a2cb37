/** The outcomes of a sign-in, in the order of the rule. */
type SignInResult = "needs-setup" | "rate-limited" | "rejected" | "signed-in";

/** Receives what metrics count. Its methods must return at once and never throw. */
export interface Meter {
  /** Called once, at the end of the construction. */
  watch(levels: Levels): void;
  signInDecided(result: SignInResult): void;
  readonly hashes: WorkMeter;
  readonly entries: EntryMeter;
}

/** Values that can be read at any time. */
export interface Levels {
  /** Addresses that the rate limiter of this process tracks. */
  trackedAddresses(): number;
  waitingEntries(): number;
  rememberedSessions(): number;
  rememberedUsers(): number;
}

export interface WorkMeter {
  /** A job waits until the returned function is called. */
  waits(): () => void;
  /** A job runs until the returned function is called. */
  runs(): () => void;
  refused(): void;
}

export interface EntryMeter {
  written(count: number): void;
  /** An entry was dropped because too many were waiting. */
  dropped(): void;
  /** A batch could not be written and will be retried. */
  failed(): void;
}

const nothing = (): void => {};

export const noMeter: Meter = {
  watch: nothing,
  signInDecided: nothing,
  hashes: { waits: () => nothing, runs: () => nothing, refused: nothing },
  entries: { written: nothing, dropped: nothing, failed: nothing },
};
