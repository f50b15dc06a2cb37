import type { Handoff, Session, StoredUser, UserId } from "../records.ts";

export interface SessionStore {
  /** Inserts it unless its ID is known. Removes some that expired two minutes before it began. */
  insert(session: Session): Promise<void>;
  /** By its ID, unless it has ended. */
  find(id: string): Promise<Session | undefined>;
  /** Those of a user that have neither ended nor expired, the most recently used first. */
  listOf(user: UserId, now: Date, limit: number): Promise<readonly Session[]>;
  /** Notes the use of those that were last used at least an hour earlier. */
  noteUsed(ids: readonly string[], at: Date): Promise<void>;
  /** Ends it, also if it was never inserted. Returns whether this call has ended it. */
  end(session: Session, at: Date): Promise<boolean>;
  /** Whether `end` has ended it. */
  hasEnded(id: string): Promise<boolean>;
  /**
   * The user of a session, unless `end` has ended the session. The account may have ended.
   *
   * @param id Without an ID, a session cannot end alone.
   */
  findUser(id: string | undefined, user: UserId): Promise<StoredUser | undefined>;
  /** Keeps a session for another host. Removes some that expired two minutes ago. */
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
