import { type BoundedMemory, createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { User } from "../records.ts";
import type { SessionStore } from "../store.ts";
import { validUpTo } from "./end-sessions.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { Factors, SessionTokens, VerifiedToken } from "./session-token.ts";
import { type RememberedUser, readFlag, type UserMemory } from "./user-memory.ts";
import type { WaitingEnds } from "./waiting-ends.ts";

/** About 20 MB when full. At least the recently used half is kept. */
const MAX_SESSIONS = 32_768;

const RECHECK_AFTER_MS = 1_000;

/** The last use of a session is noted this often. */
const NOTE_USE_AFTER_MS = 3_600_000;

/** Whom a session admits, or what its sign-in lacks. */
type AdmissionAtHost =
  | { readonly kind: "guest"; readonly user: User }
  | { readonly kind: "admitted"; readonly user: User; readonly factors: Factors }
  /** The account has to have a second factor and has none: it may turn one on. */
  | { readonly kind: "factor-missing"; readonly of: User }
  /** The account has one, and this session was not signed in with it. */
  | { readonly kind: "factor-unproven" };

export type SessionAdmission =
  | AdmissionAtHost
  /** Of a session that only one host accepts. */
  | { readonly kind: "bound"; readonly host: string; readonly there: AdmissionAtHost };

/** What a session token admits; `undefined` or `forged` for any invalid token. */
export type CurrentUser = (
  token: string | undefined,
) => MaybePromise<SessionAdmission | "forged" | undefined>;

/** A verified token with the user that was last admitted with it. */
interface RememberedToken {
  readonly token: VerifiedToken;
  found: RememberedUser | undefined;
  /** Decided when the user was found, so that a guard has nothing to decide. */
  admission: SessionAdmission | undefined;
  /** The monotonic time at which the expiry is checked again. */
  recheckAt: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

const UNUSED = { found: undefined, admission: undefined, recheckAt: 0, noteUseAt: 0 };

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
  function verify(text: string): ReturnType<CurrentUser> {
    const token = tokens.verify(text);
    if (token === undefined || token === "forged") return token;
    const session: RememberedToken = { ...UNUSED, token };
    // A copy, since a slice would keep the whole Cookie header in memory.
    remembered.set(Buffer.from(text).toString(), session);
    return renew(text, session);
  }

  /** Looks the user up again, and checks the expiry by the system clock, which may have been set. */
  function renew(
    text: string,
    session: RememberedToken,
  ): MaybePromise<SessionAdmission | undefined> {
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
    const ended =
      store !== undefined &&
      jti !== undefined &&
      readFlag("sessions.hasEnded", () => store.hasEnded(jti));
    return Promise.all([found, ended]).then(([user, yes]) =>
      admit(session, yes ? undefined : user),
    );
  }

  /** A session that has ended has no user. */
  function admit(
    session: RememberedToken,
    found: RememberedUser | undefined,
  ): SessionAdmission | undefined {
    const isEnded = found !== undefined && found.sessionsFrom > validUpTo(session.token);
    session.found = isEnded ? undefined : found;
    // Frozen, because every request of the session gets this object.
    session.admission = session.found && Object.freeze(admissionOf(session.found, session.token));
    if (session.found !== undefined) noteUse(session);
    return session.admission;
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
    const { found, admission } = session;
    if (found === undefined) return renew(text, session);
    const now = clock.monotonic();
    return now < found.until && now < session.recheckAt ? admission : renew(text, session);
  };
}

function admissionOf(found: RememberedUser, { factors, host }: VerifiedToken): SessionAdmission {
  const there = admissionAtHost(found, factors);
  return host === undefined ? there : { kind: "bound", host, there: Object.freeze(there) };
}

function admissionAtHost({ user, factor }: RememberedUser, factors: Factors): AdmissionAtHost {
  if (user.guest === true) return { kind: "guest", user };
  if (factor === "missing") return { kind: "factor-missing", of: user };
  const isProven = factor === "optional" || factors === 2;
  return isProven ? { kind: "admitted", user, factors } : { kind: "factor-unproven" };
}
