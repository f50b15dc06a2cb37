import type { Client } from "../limits/requester.ts";
import type { UserId } from "../records.ts";
import type { UserStore } from "../store.ts";
import type { EndSessionPorts } from "./end-session.ts";
import { nextSecond, validUpTo } from "./end-sessions.ts";
import { sessionRecord } from "./session-record.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { IssuedToken, SessionTokens, VerifiedToken } from "./session-token.ts";

export interface EndOtherSessionsPorts extends Omit<EndSessionPorts, "store"> {
  readonly store: { readonly users: Pick<UserStore, "endSessions"> };
  readonly tokens: Pick<SessionTokens, "reissue">;
  readonly sessions: Pick<SessionRecorder, "started">;
}

type EndOtherSessionsOutcome =
  | { readonly kind: "no-user" }
  /** The session of the request had ended too, a moment before. */
  | { readonly kind: "all-ended" }
  | { readonly kind: "others-ended"; readonly token: IssuedToken };

/**
 * Ends every session of the user up to now, recorded or not, and continues that of the request with
 * a new token. Its old token ends as well. It counts from the sign-in as before, so that a stolen
 * session cannot be prolonged.
 */
export async function endOtherSessions(
  { store, clock, users, tokens, sessions }: EndOtherSessionsPorts,
  user: UserId,
  current: VerifiedToken | undefined,
  client: Client,
): Promise<EndOtherSessionsOutcome> {
  const own = current?.userId === user ? current : undefined;
  const asker = own && { id: own.jti, validUpTo: validUpTo(own) };
  try {
    const ended = await store.users.endSessions(user, nextSecond(clock), asker);
    if (ended === undefined) return { kind: "no-user" };
    // Not from the guard, which may have admitted a slow request long ago: a session that has ended
    // since must not get a new token.
    if (own === undefined || ended.asker === "had-ended") return { kind: "all-ended" };
    const token = tokens.reissue(own, ended.sessionsFrom);
    sessions.started(sessionRecord(token, clock.now(), client));
    return { kind: "others-ended", token };
  } finally {
    // Also after a failure: the sessions may have ended, and only the answer was lost.
    users?.forget(user);
  }
}
