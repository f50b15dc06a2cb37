import type { AccountChanges, ExtraStore } from "../accounts/account-store.ts";
import type { Client } from "../limits/requester.ts";
import type { UserId } from "../store.ts";
import { deviceName } from "./device-name.ts";

/** A session as the store keeps it, for the list of an account's sessions. */
export interface StoredSession {
  /** The claim `jti` of the token. */
  readonly id: string;
  readonly userId: UserId;
  readonly createdAt: Date;
  readonly usedAt: Date;
  /** Not before the expiry of the token. */
  readonly expiresAt: Date;
  readonly address: string;
  /** Such as `Firefox on Linux`; empty if unknown. */
  readonly device: string;
}

/**
 * A store that keeps sessions; `testSessions` checks it. The list decides nothing: a session is
 * valid by its token, until it is in the extra `endedSessions` of its user. `endSessions` also
 * removes the sessions that it ends, in the same step.
 */
export interface SessionStore
  extends Pick<ExtraStore, "replaceExtra">,
    Pick<AccountChanges, "endSessions"> {
  /**
   * Inserts the session unless its ID is known, and removes some that expired before it was
   * created.
   */
  insertSession(session: StoredSession): Promise<void>;
  /** Sets the last use of those sessions that were last used at least an hour earlier. */
  noteSessionsUsed(ids: readonly string[], at: Date): Promise<void>;
  findSession(id: string): Promise<StoredSession | undefined>;
  /** The sessions of a user that have not expired, the most recently used first. */
  readSessionsOf(user: UserId, now: Date, limit: number): Promise<readonly StoredSession[]>;
  /** All sessions, sorted by ID. */
  readSessions(query: SessionQuery): Promise<readonly StoredSession[]>;
  removeSessions(ids: readonly string[]): Promise<void>;
}

/** The record of a session that this client uses now. Times are in milliseconds since 1970. */
export const sessionRecord = (
  session: {
    readonly id: string;
    readonly userId: UserId;
    readonly createdAt: number;
    readonly expiresAt: number;
  },
  now: number,
  { remoteAddress, userAgent }: Client,
): StoredSession => ({
  id: session.id,
  userId: session.userId,
  createdAt: new Date(session.createdAt),
  usedAt: new Date(now),
  expiresAt: new Date(session.expiresAt),
  address: remoteAddress,
  device: deviceName(userAgent),
});

interface SessionQuery {
  /** `""` comes before every ID. */
  readonly afterId: string;
  readonly limit: number;
}

/** How precise the time of the last use is. */
export const USE_PRECISION_MS = 3_600_000;

/** How many expired sessions each new one removes. */
export const MAX_EXPIRED_REMOVED = 100;

/** Whether the store has all methods for sessions. */
export const keepsSessions = (store: Partial<SessionStore>): store is SessionStore =>
  store.insertSession !== undefined &&
  store.noteSessionsUsed !== undefined &&
  store.findSession !== undefined &&
  store.readSessionsOf !== undefined &&
  store.readSessions !== undefined &&
  store.removeSessions !== undefined &&
  store.replaceExtra !== undefined &&
  store.endSessions !== undefined;
