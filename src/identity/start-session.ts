import type { Session, StoredUser } from "../db/records.ts";
import { type Client, describeClient } from "../lib/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { Factors, IssuedToken, SessionTokens, VerifiedToken } from "./session-token.ts";

export interface StartSessionServices {
  readonly tokens: SessionTokens;
  readonly clock: Pick<Clock, "now">;
  readonly recorder: SessionRecorder;
}

/** Issues a session token for a user who has signed in, and records the session. */
export function startSession(
  { tokens, clock, recorder }: StartSessionServices,
  { id, sessionsFrom }: Pick<StoredUser, "id" | "sessionsFrom">,
  client: Client,
  factors?: Factors,
): IssuedToken {
  const token = tokens.issue(id, sessionsFrom, factors);
  recorder.recordStart(toSession(token, clock.now(), client));
  return token;
}

/**
 * Returns the record of a session that this client uses now. `now` is in milliseconds since 1970.
 */
export const toSession = (
  { id, userId, issuedAt, expiresAt, host }: VerifiedToken & Pick<IssuedToken, "id">,
  now: number,
  client: Client,
): Session => ({
  id,
  userId,
  createdAt: new Date(issuedAt),
  usedAt: new Date(now),
  expiresAt: new Date(expiresAt),
  ...describeClient(client),
  ...(host !== undefined && { host }),
});
