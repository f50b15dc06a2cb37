import { type BoundedMemory, createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { User } from "../store.ts";
import { hasEnded } from "./ended-sessions.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { SessionTokens, VerifiedToken } from "./session-token.ts";
import type { RememberedUser, UserMemory } from "./user-memory.ts";
import type { WaitingEnds } from "./waiting-ends.ts";

/** About 20 MB when full. At least the recently used half is kept. */
const MAX_SESSIONS = 32_768;

const RECHECK_AFTER_MS = 1_000;

/** The last use of a session is noted this often. */
const NOTE_USE_AFTER_MS = 3_600_000;

/** Returns the user of a session token; `undefined` or `forged` for any invalid token. */
export type CurrentUser = (token: string | undefined) => MaybePromise<User | "forged" | undefined>;

/** A verified token with the user that was last found for it. */
export interface Session {
  readonly token: VerifiedToken;
  found: RememberedUser | undefined;
  /** The monotonic time at which the expiry is checked again. */
  recheckAt: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

/** Holds verified tokens only, so that clients without the secret cannot fill it. */
export const createSessionMemory = (): BoundedMemory<string, Session> =>
  createBoundedMemory(MAX_SESSIONS);

interface SessionParts {
  readonly sessions?: BoundedMemory<string, Session>;
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
  { sessions = createSessionMemory(), recorder, waiting }: SessionParts = {},
): CurrentUser {
  function verify(text: string): MaybePromise<User | "forged" | undefined> {
    const token = tokens.verify(text);
    if (token === undefined || token === "forged") return token;
    const session: Session = { token, found: undefined, recheckAt: 0, noteUseAt: 0 };
    // A copy, since a slice would keep the whole Cookie header in memory.
    sessions.set(Buffer.from(text).toString(), session);
    return renew(text, session);
  }

  /** Looks the user up again, and checks the expiry by the system clock, which may have been set. */
  function renew(text: string, session: Session): MaybePromise<User | undefined> {
    const left = session.token.expiresAt - clock.now();
    if (left <= 0) {
      sessions.delete(text);
      return undefined;
    }
    if (waiting?.has(session.token) === true) return undefined;
    session.recheckAt = clock.monotonic() + Math.min(left, RECHECK_AFTER_MS);
    return andThen(users.find(session.token.userId), (found) => {
      const user = setFound(session, found);
      if (user !== undefined) noteUse(session);
      return user;
    });
  }

  /** The store ignores a use within an hour after the last one, as after a sign-in. */
  function noteUse(session: Session): void {
    const { jti } = session.token;
    if (jti === undefined || clock.monotonic() < session.noteUseAt) return;
    session.noteUseAt = clock.monotonic() + NOTE_USE_AFTER_MS;
    recorder?.used(jti);
  }

  return (text) => {
    if (text === undefined || text === "") return undefined;
    const session = sessions.get(text);
    if (session === undefined) return verify(text);
    const { found } = session;
    if (found === undefined) return renew(text, session);
    const now = clock.monotonic();
    return now < found.until && now < session.recheckAt ? found.user : renew(text, session);
  };
}

/** A session that has ended has no user. */
function setFound(session: Session, found: RememberedUser | undefined): User | undefined {
  session.found = found === undefined || hasEnded(session.token, found) ? undefined : found;
  return session.found?.user;
}
