import type { EndOfSessions } from "../accounts/account-store.ts";
import type { Client } from "../limits/requester.ts";
import type { UserId } from "../store.ts";
import type { EndSessionPorts } from "./add-ended-sessions.ts";
import { nextSecond } from "./end-sessions.ts";
import { hasEnded, sessionEndsOf } from "./ended-sessions.ts";
import type { VerifiedToken } from "./session-token.ts";
import { type ContinueSessionPorts, continueSession } from "./start-session.ts";

export type EndOtherSessionsPorts = EndSessionPorts & ContinueSessionPorts;

type EndOtherSessionsOutcome =
  | { readonly kind: "no-user" }
  /** The session of the request had ended too, a moment before. */
  | { readonly kind: "all-ended" }
  | { readonly kind: "others-ended"; readonly token: string };

/**
 * Ends every session of the user up to now, recorded or not, and continues that of the request with
 * a new token. Its old token ends as well.
 */
export async function endOtherSessions(
  ports: EndOtherSessionsPorts,
  user: UserId,
  current: VerifiedToken | undefined,
  client: Client,
): Promise<EndOtherSessionsOutcome> {
  const ended = await endAll(ports, user);
  if (ended === undefined) return { kind: "no-user" };
  const { was, sessionsFrom } = ended;
  // Not from the guard, which may have admitted a slow request long ago: a session that has ended
  // since must not get a new token.
  if (current?.userId !== user || hasEnded(current, sessionEndsOf(was))) {
    return { kind: "all-ended" };
  }
  return { kind: "others-ended", token: continueSession(ports, current, sessionsFrom, client) };
}

async function endAll(
  { store, clock, users }: EndOtherSessionsPorts,
  user: UserId,
): Promise<EndOfSessions | undefined> {
  try {
    return await store.endSessions(user, nextSecond(clock));
  } finally {
    // Also after a failure: the sessions may have ended, and only the answer was lost.
    users?.forget(user);
  }
}
