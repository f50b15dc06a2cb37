import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { Session, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { CredentialCache } from "../../identity/credential-cache.ts";
import type { SessionRecorder } from "../../identity/session-recorder.ts";
import {
  computeValidUpTo,
  type IssuedToken,
  type SessionTokens,
  type VerifiedToken,
} from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import { endStoredSession } from "../../identity/waiting-ends.ts";
import type { Client } from "../../lib/client.ts";
import { type Clock, nextSecond } from "../../lib/clock.ts";

/** What signed-in users do with their sessions. */
interface SessionServices {
  readonly store: Pick<StoreParts, "users" | "sessions">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  readonly events: Pick<EventLog, "record">;
  readonly credentialCache: CredentialCache;
}

interface SessionList {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
  readonly currentId: string | undefined;
}

/** More would make the page a wall. "Sign out everywhere else" ends the others as well. */
const MAX_LISTED = 50;

/**
 * This session first, then the most recently used. If this one is not recorded, for example because
 * it is from an older version, it is recorded now.
 *
 * @param current The session of the request; `undefined` if it has expired since its guard.
 */
export async function listSessions(
  { store, clock, recorder }: SessionServices,
  current: VerifiedToken | undefined,
  client: Client,
): Promise<SessionList> {
  if (current === undefined) return { sessions: [], hasMore: false, currentId: undefined };
  await recorder.flush();
  const { id, userId } = current;
  const now = clock.now();
  const listed = await store.sessions.listOf(userId, new Date(now), MAX_LISTED + 1);
  let currentSession = listed.find((session) => session.id === id);
  if (currentSession === undefined && id !== undefined) {
    currentSession = toSession({ ...current, id }, now, client);
    recorder.recordStart(currentSession);
  }
  const sessions = [currentSession ?? [], listed.filter((session) => session.id !== id)].flat();
  const hasMore = sessions.length > MAX_LISTED;
  return { sessions: sessions.slice(0, MAX_LISTED), hasMore, currentId: id };
}

/** Ends a session of the user. A session of another user is `no-session`, like an unknown one. */
export async function endSession(
  services: SessionServices,
  user: User,
  id: string,
  client: Client,
): Promise<"no-session" | "ended"> {
  const session = await services.store.sessions.find(id);
  if (session?.userId !== user.id || !(await endStoredSession(services, session)))
    return "no-session";
  services.events.record(createAuditEvent("session_end", { user, client }));
  return "ended";
}

/**
 * Ends every session of the user up to now, recorded or not, and continues the current one with a new
 * token, which it returns; `undefined` if it has ended too. It counts from the sign-in as before, so
 * that a stolen session cannot be prolonged.
 */
export async function endOtherSessions(
  { store, clock, tokens, credentialCache, recorder, events }: SessionServices,
  user: User,
  current: VerifiedToken | undefined,
  client: Client,
): Promise<IssuedToken | undefined> {
  // A record that is still to be written would list a session that has ended.
  await recorder.flush();
  const currentToken = current?.userId === user.id ? current : undefined;
  const asker = currentToken && { id: currentToken.id, validUpTo: computeValidUpTo(currentToken) };
  try {
    const ended = await store.users.endSessions(user.id, nextSecond(clock), asker);
    if (ended === undefined) return undefined;
    events.record(createAuditEvent("session_end_others", { user, client }));
    // Not from the guard, which may have admitted a slow request long ago: a session that has
    // ended since must not get a new token.
    if (currentToken === undefined || ended.asker === "had-ended") return undefined;
    const token = tokens.sign({ ...currentToken, sessionsFrom: ended.sessionsFrom });
    recorder.recordStart(toSession(token, clock.now(), client));
    return token;
  } finally {
    // Also after a failure: the sessions may have ended, and only the answer was lost.
    credentialCache.forget(user.id);
  }
}
