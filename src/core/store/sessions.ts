import type { Handoff, Session, UserId } from "../records.ts";

export interface SessionStore {
  /** Unless its ID is known. Also removes some that expired two minutes before it was created. */
  insert(session: Session): Promise<void>;
  /** Those below have not ended. */
  find(id: string): Promise<Session | undefined>;
  /** Of a user, without those that have expired, the most recently used first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Session[]>;
  /** Of those that were last used at least an hour earlier. */
  noteUsed(ids: readonly string[], at: Date): Promise<void>;
  /** Also one that was never inserted. Returns whether this call has ended it. */
  end(session: Session, at: Date): Promise<boolean>;
  /** Whether `end` has ended it. */
  hasEnded(id: string): Promise<boolean>;
  /** Keeps a session for another host. Also removes some that expired two minutes ago. */
  handOff(handoff: Handoff, now: Date): Promise<void>;
  /** Removes it, expired or not: of concurrent callers one gets it. */
  takeHandoff(id: string): Promise<Handoff | undefined>;
}

/** The session that asks for the end of all others of its user. */
export interface AskingSession {
  readonly id: string | undefined;
  /** It has ended if the user's `sessionsFrom` is larger. */
  readonly validUpTo: number;
}

export interface EndOfSessions {
  /** A token that records it counts. */
  readonly sessionsFrom: number;
  readonly asker: "was-valid" | "had-ended";
}
