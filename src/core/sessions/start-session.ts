import type { Clock } from "../base/clock.ts";
import type { Client } from "../limits/requester.ts";
import type { StoredUser } from "../store.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import { sessionRecord } from "./session-store.ts";
import {
  newSessionId,
  SESSION_LIFETIME_SECONDS,
  type SessionTokens,
  type VerifiedToken,
} from "./session-token.ts";

export interface StartSessionPorts {
  readonly tokens: Pick<SessionTokens, "issue">;
  readonly clock: Pick<Clock, "now">;
  readonly sessions: Pick<SessionRecorder, "started">;
}

/** Issues a session token for a user who has signed in, and records the session. */
export function startSession(
  { tokens, clock, sessions }: StartSessionPorts,
  user: Pick<StoredUser, "id" | "sessionsFrom">,
  client: Client,
): string {
  const id = newSessionId();
  const token = tokens.issue(user.id, user.sessionsFrom, id);
  const createdAt = clock.now();
  const expiresAt = createdAt + SESSION_LIFETIME_SECONDS * 1_000;
  sessions.started(sessionRecord({ id, userId: user.id, createdAt, expiresAt }, createdAt, client));
  return token;
}

export interface ContinueSessionPorts extends Omit<StartSessionPorts, "tokens"> {
  readonly tokens: Pick<SessionTokens, "reissue">;
}

/**
 * Continues a session under a new ID, after all sessions of its user have ended. It counts from the
 * sign-in as before, so that a stolen session cannot be prolonged.
 */
export function continueSession(
  { tokens, clock, sessions }: ContinueSessionPorts,
  token: VerifiedToken,
  sessionsFrom: number,
  client: Client,
): string {
  const id = newSessionId();
  const { userId, issuedAt, expiresAt } = token;
  const continued = { id, userId, createdAt: issuedAt * 1_000, expiresAt };
  sessions.started(sessionRecord(continued, clock.now(), client));
  return tokens.reissue(token, sessionsFrom, id);
}
