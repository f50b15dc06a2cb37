import { isEnded } from "./accounts/end-sessions.ts";
import { type BoundedMemory, createBoundedMemory } from "./bounded-memory.ts";
import type { Clock } from "./clock.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { SessionTokens, VerifiedToken } from "./session-token.ts";
import type { User } from "./store.ts";
import type { RememberedUser, UserMemory } from "./user-memory.ts";

/** Half of them for sure; some 20 MB once they are all there. */
const REMEMBERED_SESSIONS = 32_768;

const LOOK_AGAIN_AFTER_MS = 1_000;

/** Who a session token belongs to. Anything amiss with it means: nobody. */
export type CurrentUser = (token: string | undefined) => MaybePromise<User | undefined>;

/** A token that was verified, with the user that was found for it last. */
export interface Session {
  readonly token: VerifiedToken;
  found: RememberedUser | undefined;
  /** The monotonic moment at which the expiry is looked at again. */
  lookAgainAt: number;
}

/** Only what was verified is remembered: nobody without the secret can fill this memory. */
export const createSessionMemory = (): BoundedMemory<string, Session> =>
  createBoundedMemory(REMEMBERED_SESSIONS);

/**
 * The hot path: where token and user are both remembered, it takes one look into a map and one at
 * the clock, no promise, no signature and no query.
 */
export function createCurrentUser(
  tokens: SessionTokens,
  users: UserMemory,
  clock: Clock,
  sessions: BoundedMemory<string, Session> = createSessionMemory(),
): CurrentUser {
  async function open(text: string): Promise<User | undefined> {
    const token = await tokens.verify(text);
    if (token === undefined) return undefined;
    const session: Session = { token, found: undefined, lookAgainAt: 0 };
    // A copy, since a slice would keep the whole Cookie header that it came in alive.
    sessions.set(Buffer.from(text).toString(), session);
    return renew(text, session);
  }

  /** The user afresh, and the expiry by the clock on the wall, which somebody may have set. */
  function renew(text: string, session: Session): MaybePromise<User | undefined> {
    const left = session.token.expiresAt - clock.now();
    if (left <= 0) {
      sessions.delete(text);
      return undefined;
    }
    session.lookAgainAt = clock.monotonic() + Math.min(left, LOOK_AGAIN_AFTER_MS);
    const found = users.find(session.token.userId);
    return found instanceof Promise
      ? found.then((later) => keep(session, later))
      : keep(session, found);
  }

  return (text) => {
    if (text === undefined || text === "") return undefined;
    const session = sessions.get(text);
    if (session === undefined) return open(text);
    const { found } = session;
    if (found === undefined) return renew(text, session);
    const now = clock.monotonic();
    return now < found.until && now < session.lookAgainAt ? found.user : renew(text, session);
  };
}

/** A session from before the last time that all sessions of the user were ended has no user. */
function keep(session: Session, found: RememberedUser | undefined): User | undefined {
  const over = found !== undefined && isEnded(session.token, found.sessionsFrom);
  session.found = over ? undefined : found;
  return session.found?.user;
}
