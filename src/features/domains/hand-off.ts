import { insertUserRow } from "../../db/insert-user-row.ts";
import type { Handoff } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AttemptLimiter } from "../../identity/attempt-limiter.ts";
import {
  computeValidUpTo,
  type IssuedToken,
  type SessionTokens,
  type VerifiedToken,
} from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import type { WaitingEnds } from "../../identity/waiting-ends.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { createRandomText, digestText, isSame } from "../../lib/random-text.ts";

/** How long a code counts. */
const HANDOFF_MS = 60_000;

/** The store has only users whose account has not ended. */
interface HandoffServices {
  readonly store: Pick<StoreParts, "users" | "sessions">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  /** Sessions that have signed out here, and that the store does not know as ended yet. */
  readonly waiting?: Pick<WaitingEnds, "has"> | undefined;
}

/** What a code is bound to: a host, and the hash of the cookie of the browser that began there. */
interface CreateHandoffServices extends HandoffServices {
  /** Limits the codes by which one session is handed over. */
  readonly handoffLimiter: Pick<AttemptLimiter, "attempt">;
}

type Receiver = Pick<Handoff, "host" | "browser">;

/**
 * Returns a code with which that browser gets a session of that host; `undefined` if this session has
 * asked for too many within a minute.
 */
export async function createHandoff(
  { store, clock, handoffLimiter }: CreateHandoffServices,
  { id, userId, issuedAt, sessionsFrom, factors, expiresAt }: VerifiedToken,
  receiver: Receiver,
): Promise<string | undefined> {
  if (handoffLimiter.attempt(id ?? userId) === "denied") return undefined;
  const code = createRandomText();
  const now = clock.now();
  const handoff = {
    ...{ id: digestText(code), userId, ...receiver, ...(id !== undefined && { sessionId: id }) },
    ...{ signedInAt: new Date(issuedAt), sessionsFrom, factors },
    endsAt: new Date(expiresAt),
    expiresAt: new Date(now + HANDOFF_MS),
  };
  // Without a user, the code counts for nobody.
  await insertUserRow(store.users, userId, () => store.sessions.handOff(handoff, new Date(now)));
  return code;
}

/**
 * Returns the token of a session that only this host accepts. It counts from the sign-in and ends
 * when that session would have, so that nothing is prolonged. `undefined` for any reason; the code
 * is used up in any case, also if somebody else has sent it.
 */
export async function takeHandoff(
  { store, clock, tokens, waiting }: HandoffServices,
  code: string,
  receiver: Receiver,
  client: Client,
): Promise<IssuedToken | undefined> {
  const handoff = await store.sessions.takeHandoff(digestText(code));
  const now = clock.now();
  if (handoff === undefined || !(handoff.expiresAt.getTime() > now)) return undefined;
  const { userId, host, browser, sessionId, sessionsFrom } = handoff;
  if (host !== receiver.host || !isSame(browser, receiver.browser)) return undefined;
  const session: Omit<VerifiedToken, "id"> = {
    ...{ userId, host, sessionsFrom, factors: handoff.factors === 2 ? 2 : 1 },
    issuedAt: handoff.signedInAt.getTime(),
    expiresAt: handoff.endsAt.getTime(),
  };
  const user = await store.users.findActive(userId, new Date(now));
  if (user === undefined || (user.sessionsFrom ?? 0) > computeValidUpTo(session)) return undefined;
  if (session.expiresAt <= now) return undefined;
  if (sessionId !== undefined) {
    const hasEnded = await store.sessions.hasEnded(sessionId);
    // Asked last: the session may have signed out here in the meantime.
    if (hasEnded || waiting?.has(sessionId) === true) return undefined;
  }
  // With the end that the first session has, so that it also ends if that has happened just now.
  const token = tokens.sign(session);
  // Before the browser has it, so that the list of sessions is complete.
  const insertSession = () => store.sessions.insert(toSession(token, now, client));
  const inserted = await insertUserRow(store.users, userId, insertSession);
  return inserted === "removed" ? undefined : token;
}
