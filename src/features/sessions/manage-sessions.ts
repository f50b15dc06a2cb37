import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import type { Session, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { endStoredSession } from "../../identity/end-session.ts";
import type { SessionRecorder } from "../../identity/session-recorder.ts";
import {
  computeValidUpTo,
  type IssuedToken,
  type SessionTokens,
  type VerifiedToken,
} from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import { type Clock, nextSecond } from "../../lib/clock.ts";

/** Lists the services with which signed-in users manage their sessions. */
interface SessionServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "sessions">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  readonly recorder: SessionRecorder;
  readonly events: Pick<EventLog, "record">;
}

interface SessionList {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
  readonly currentId: string | undefined;
}

/**
 * A longer list would make the page hard to read. "Sign out everywhere else" also ends the sessions
 * that are not listed.
 */
const MAX_LISTED = 50;

/**
 * Lists the current session first, then the most recently used sessions. If the current session is
 * not recorded, for example because an older version created it, it is recorded now.
 *
 * @param current is the session of the request; `undefined` if it has expired since the user was
 *   authenticated.
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

/**
 * Ends a session of the user. A session of another user returns `no-session`, like an unknown
 * session.
 */
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
 * Ends all sessions of the user that exist now, recorded or not. Returns a new token that continues
 * the current session, or `undefined` if that session has also ended. The session still counts from
 * its sign-in, so that a stolen session cannot be prolonged.
 */
export async function endOtherSessions(
  services: SessionServices,
  user: User,
  current: VerifiedToken | undefined,
  client: Client,
): Promise<IssuedToken | undefined> {
  const { store, clock, tokens, recorder, events } = services;
  // A record that is written later would list a session that has ended.
  await recorder.flush();
  const currentToken = current?.userId === user.id ? current : undefined;
  const asker = currentToken && { id: currentToken.id, validUpTo: computeValidUpTo(currentToken) };
  const ended = await changeAccount(services, user.id, () =>
    store.users.endSessions(user.id, nextSecond(clock), asker),
  );
  if (ended === undefined) return undefined;
  events.record(createAuditEvent("session_end_others", { user, client }));
  // The store decides, because a slow request may have been authenticated long ago. A session that
  // has ended since then must not get a new token.
  if (currentToken === undefined || ended.asker === "had-ended") return undefined;
  const token = tokens.sign({ ...currentToken, sessionsFrom: ended.sessionsFrom });
  recorder.recordStart(toSession(token, clock.now(), client));
  return token;
}
