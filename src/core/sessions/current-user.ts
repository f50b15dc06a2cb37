import { type BoundedMemory, createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { User } from "../records.ts";
import type { SessionStore } from "../store.ts";
import { validUpTo } from "./end-sessions.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { SessionTokens, VerifiedToken } from "./session-token.ts";
import { orError, type RememberedUser, type UserMemory } from "./user-memory.ts";
import type { WaitingEnds } from "./waiting-ends.ts";

/** About 20 MB when full. At least the recently used half is kept. */
const MAX_SESSIONS = 32_768;

const RECHECK_AFTER_MS = 1_000;

/** The last use of a session is noted this often. */
const NOTE_USE_AFTER_MS = 3_600_000;

/** Returns the user of a session token; `undefined` or `forged` for any invalid token. */
export type CurrentUser = (token: string | undefined) => MaybePromise<User | "forged" | undefined>;

/** A verified token with the user that was last admitted with it. */
interface RememberedToken {
  readonly token: VerifiedToken;
  found: RememberedUser | undefined;
  /** The monotonic time at which the expiry is checked again. */
  recheckAt: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

/** Holds verified tokens only, so that clients without the secret cannot fill it. */
export const createTokenMemory = (): TokenMemory => createBoundedMemory(MAX_SESSIONS);

export type TokenMemory = BoundedMemory<string, RememberedToken>;

interface SessionParts {
  readonly remembered?: TokenMemory;
  /** Tells which sessions have ended by themselves, if the store keeps them. */
  readonly store?: Pick<SessionStore, "hasEnded"> | undefined;
  readonly recorder?: Pick<SessionRecorder, "used"> | undefined;
  /** Sessions that have signed out here, and that the store does not know as ended yet. */
  readonly waiting?: Pick<WaitingEnds, "has"> | undefined;
}

/**
 * The hot path: with token and user in memory it takes one map lookup and one clock read, without a
 * promise, a signature check or a query.
 */
export function createCurrentUser(
  tokens: SessionTokens,
  users: UserMemory,
  clock: Clock,
  { remembered = createTokenMemory(), store, recorder, waiting }: SessionParts = {},
): CurrentUser {
  function verify(text: string): MaybePromise<User | "forged" | undefined> {
    const token = tokens.verify(text);
    if (token === undefined || token === "forged") return token;
    const session: RememberedToken = { token, found: undefined, recheckAt: 0, noteUseAt: 0 };
    // A copy, since a slice would keep the whole Cookie header in memory.
    remembered.set(Buffer.from(text).toString(), session);
    return renew(text, session);
  }

  /** Looks the user up again, and checks the expiry by the system clock, which may have been set. */
  function renew(text: string, session: RememberedToken): MaybePromise<User | undefined> {
    const left = session.token.expiresAt - clock.now();
    if (left <= 0) {
      remembered.delete(text);
      return undefined;
    }
    const { userId, jti } = session.token;
    if (jti !== undefined && waiting?.has(jti) === true) return undefined;
    session.recheckAt = clock.monotonic() + Math.min(left, RECHECK_AFTER_MS);
    const found = users.find(userId);
    // What was found is as it was when this session was last admitted with it.
    if (found !== undefined && found === session.found) return admit(session, found);
    // In parallel, so that a guard takes one round trip to the store.
    const ended = jti === undefined ? false : hasEnded(store, jti);
    return Promise.all([found, ended]).then(([user, yes]) =>
      admit(session, yes ? undefined : user),
    );
  }

  /** A session that has ended has no user. */
  function admit(session: RememberedToken, found: RememberedUser | undefined): User | undefined {
    const isEnded = found !== undefined && found.sessionsFrom > validUpTo(session.token);
    session.found = isEnded ? undefined : found;
    if (session.found !== undefined) noteUse(session);
    return session.found?.user;
  }

  /** The store ignores a use within an hour after the last one, as after a sign-in. */
  function noteUse(session: RememberedToken): void {
    const { jti } = session.token;
    if (jti === undefined || clock.monotonic() < session.noteUseAt) return;
    session.noteUseAt = clock.monotonic() + NOTE_USE_AFTER_MS;
    recorder?.used(jti);
  }

  return (text) => {
    if (text === undefined || text === "") return undefined;
    const session = remembered.get(text);
    if (session === undefined) return verify(text);
    const { found } = session;
    if (found === undefined) return renew(text, session);
    const now = clock.monotonic();
    return now < found.until && now < session.recheckAt ? found.user : renew(text, session);
  };
}

/** Only `false` of a store lets a session through. */
async function hasEnded(store: SessionParts["store"], id: string): Promise<boolean> {
  if (store === undefined) return false;
  const yes: unknown = await orError(() => store.hasEnded(id));
  if (typeof yes === "boolean") return yes;
  throw new Fault("store_broken", "sessions.hasEnded of the store did not return true or false");
}
