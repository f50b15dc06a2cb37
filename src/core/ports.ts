import type { Clock } from "./base/clock.ts";
import type { ServerLog } from "./base/server-log.ts";
import type { AttemptLimiter } from "./limits/attempt-limiter.ts";
import type { Limiter } from "./limits/shared-limiter.ts";
import type { EventLog } from "./log/event-log.ts";
import type { Event } from "./log/events.ts";
import type { Challenges } from "./passkeys/challenges.ts";
import type { Passwords } from "./passwords/passwords.ts";
import type { UserId } from "./records.ts";
import type { Seals } from "./sessions/seals.ts";
import type { SessionRecorder } from "./sessions/session-recorder.ts";
import type { SessionTokens } from "./sessions/session-token.ts";
import type { UserMemory } from "./sessions/user-memory.ts";
import type { SetupTokenSource } from "./setup/setup-token.ts";
import type { Store } from "./store.ts";

/** What rules work with, beside the store. */
export interface AllPorts {
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  /** What the guards of this process know of users. */
  readonly memory: UserMemory;
  /** Must be called after a change of the codes or passkeys of an account, even one that failed. */
  readonly factorsChanged: (user: UserId) => void;
  readonly passwords: Passwords;
  readonly seals: Seals;
  /** Of passkeys. */
  readonly challenges: Challenges;
  readonly setupToken: SetupTokenSource;
  /** Called in the background with the domain of the setup form. */
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
  /** Limits sign-ins with a password, by remote address. */
  readonly signInLimiter: Pick<Limiter, "attempt">;
  /** Limits sign-ins with a passkey, by remote address. */
  readonly passkeyLimiter: Pick<Limiter, "attempt">;
  /** Limits the use of one-time links, by remote address. */
  readonly linkLimiter: Pick<Limiter, "attempt">;
  /**
   * Limits the codes of one account, whatever the addresses they come from. In the memory of this
   * process: a query here would tell by its time that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  /** Limits the codes by which one session is handed over. */
  readonly handoffLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  /** Writes an entry of the audit log, also where there is no event log, and says who did it. */
  readonly record: (event: Event) => unknown;
  readonly log: ServerLog;
}

/** The ports that a rule names, and the parts of the store that it names. */
export type Ports<Name extends keyof AllPorts, Part extends keyof Store> = Pick<AllPorts, Name> & {
  readonly store: Pick<Store, Part>;
};
