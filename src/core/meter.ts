/** The kinds of sign-in outcomes, in the order of the rule. */
export type SignInResult = "needs-setup" | "rate-limited" | "rejected" | "signed-in";

/** Told of what goes on inside, for those who count it. Its calls return at once and never throw. */
export interface Meter {
  /** Once, when all is put together. */
  watch(levels: Levels): void;
  signInDecided(result: SignInResult): void;
  readonly hashes: WorkMeter;
  readonly entries: EntryMeter;
}

/** What can be asked for at any moment. */
export interface Levels {
  /** Addresses that this process's own sign-in limit keeps count of. */
  trackedAddresses(): number;
  waitingEntries(): number;
  rememberedSessions(): number;
  rememberedUsers(): number;
}

export interface WorkMeter {
  /** A job has to wait, until what this answers with is called. */
  waits(): () => void;
  /** A job runs, until what this answers with is called. */
  runs(): () => void;
  refused(): void;
}

export interface EntryMeter {
  written(count: number): void;
  /** Given up: too many were waiting. */
  dropped(): void;
  /** A batch did not go in. It is tried again. */
  failed(): void;
}

const nothing = (): void => {};

export const noMeter: Meter = {
  watch: nothing,
  signInDecided: nothing,
  hashes: { waits: () => nothing, runs: () => nothing, refused: nothing },
  entries: { written: nothing, dropped: nothing, failed: nothing },
};
