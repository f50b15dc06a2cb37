import { insertUserRow } from "../../db/insert-user-row.ts";
import type { Handoff } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AttemptLimiter } from "../../identity/attempt-limiter.ts";
import type { PendingSignOuts } from "../../identity/pending-sign-outs.ts";
import {
  computeValidUpTo,
  type IssuedToken,
  type SessionTokens,
  type VerifiedToken,
} from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { createRandomText, digestText, isSame } from "../../lib/random-text.ts";

/** A code is valid for this long. */
const HANDOFF_MS = 60_000;

/**
 * Lists the services of a handoff. The store must return only users whose account has not ended.
 */
interface HandoffServices {
  readonly store: Pick<StoreParts, "users" | "sessions">;
  readonly clock: Pick<Clock, "now">;
  readonly tokens: SessionTokens;
  /** Contains sessions that were signed out here and that the store has not ended yet. */
  readonly pendingSignOuts: Pick<PendingSignOuts, "has">;
}

/** Contains the services that create a code. */
interface CreateHandoffServices extends HandoffServices {
  /** Limits how many handoff codes one session can request. */
  readonly handoffLimiter: Pick<AttemptLimiter, "attempt">;
}

/** Binds a code to a host, and to the hash of the cookie of the browser that began there. */
type Receiver = Pick<Handoff, "host" | "browser">;

/**
 * Creates a code with which that browser gets a session of that host. Returns `undefined` if this
 * session has requested too many codes within a minute.
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
  // If the user was removed, no row is stored, so no client can redeem the code.
  await insertUserRow(store.users, userId, () =>
    store.sessions.insertHandoff(handoff, new Date(now)),
  );
  return code;
}

/**
 * Redeems a code for the token of a session that only this host accepts. It counts from the sign-in
 * and expires with the first session, so nothing is prolonged. Returns `undefined` for any failure.
 * The code is used up in any case, even if another client sent it.
 */
export async function takeHandoff(
  { store, clock, tokens, pendingSignOuts }: HandoffServices,
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
    // This check comes last, because the session may have been signed out here in the meantime.
    if (hasEnded || pendingSignOuts.has(sessionId)) return undefined;
  }
  // The token keeps the first session's `sessionsFrom`, so it is invalid if all sessions were ended
  // just now.
  const token = tokens.sign(session);
  // The session is stored before the browser gets the token, so that the list of sessions is
  // complete.
  const insertSession = () => store.sessions.insert(toSession(token, now, client));
  const inserted = await insertUserRow(store.users, userId, insertSession);
  return inserted === "removed" ? undefined : token;
}
