import type { Clock } from "../base/clock.ts";
import type { Client } from "../limits/requester.ts";
import type { StoredUser } from "../records.ts";
import { sessionRecord } from "./session-record.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { Factors, IssuedToken, SessionTokens } from "./session-token.ts";

export interface StartSessionPorts {
  readonly tokens: Pick<SessionTokens, "issue">;
  readonly clock: Pick<Clock, "now">;
  readonly sessions: Pick<SessionRecorder, "started">;
}

/** Issues a session token for a user who has signed in, and records the session. */
export function startSession(
  { tokens, clock, sessions }: StartSessionPorts,
  {
    id,
    sessionsFrom,
    factors,
  }: Pick<StoredUser, "id" | "sessionsFrom"> & { readonly factors?: Factors },
  client: Client,
): IssuedToken {
  const token = tokens.issue(id, sessionsFrom, factors);
  sessions.started(sessionRecord(token, clock.now(), client));
  return token;
}
