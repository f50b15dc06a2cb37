import type { Clock } from "../clock.ts";
import type { Client } from "../requester.ts";
import { newSessionId, SESSION_LIFETIME_SECONDS, type SessionTokens } from "../session-token.ts";
import type { StoredUser } from "../store.ts";
import { deviceName } from "./device-name.ts";
import type { SessionRecorder } from "./session-recorder.ts";

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
  const now = clock.now();
  sessions.started({
    id,
    userId: user.id,
    createdAt: new Date(now),
    usedAt: new Date(now),
    expiresAt: new Date(now + SESSION_LIFETIME_SECONDS * 1_000),
    address: client.remoteAddress,
    device: deviceName(client.userAgent),
  });
  return token;
}
