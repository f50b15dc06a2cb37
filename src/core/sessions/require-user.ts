import { type BoundedMemory, createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { User } from "../records.ts";
import type { SessionStore } from "../store.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import {
  type Factors,
  type SessionTokens,
  type VerifiedToken,
  validUpTo,
} from "./session-token.ts";
import type { WaitingEnds } from "./sign-out.ts";
import {
  MAX_REMEMBERED,
  RECHECK_AFTER_MS,
  type RememberedUser,
  USE_PRECISION_MS,
  type UserMemory,
} from "./user-memory.ts";

/** Whom a session admits, or what its sign-in lacks. */
type AdmissionAtHost =
  | { readonly kind: "admitted"; readonly user: User; readonly factors: Factors }
  | { readonly kind: "guest"; readonly user: User; readonly factors: Factors }
  /** The account has to have a second factor and has none: it may turn one on. */
  | { readonly kind: "factor-missing"; readonly user: User }
  /** The account has one, and this session was not signed in with it. */
  | { readonly kind: "factor-unproven" };

export type Admission =
  | { readonly kind: "needs-setup" | "needs-sign-in" | "forged-token" }
  | AdmissionAtHost
  /** Of a session that only one host accepts. */
  | { readonly kind: "bound"; readonly host: string; readonly there: AdmissionAtHost };

/** Decides over a session token, without a promise where possible, as it is on the hot path. */
export type Guard = (token: string | undefined) => MaybePromise<Admission>;

const NEEDS_SETUP: Admission = { kind: "needs-setup" };
const NEEDS_SIGN_IN: Admission = { kind: "needs-sign-in" };
const FORGED_TOKEN: Admission = { kind: "forged-token" };

/** The signed-in user, also a guest, whom a guard refuses. */
export function userOfAdmission(admission: Admission): User | undefined {
  switch (admission.kind) {
    case "admitted":
    case "guest":
      return admission.user;
    case "factor-missing":
    case "factor-unproven":
    case "needs-setup":
    case "needs-sign-in":
    case "forged-token":
    case "bound":
      return undefined;
  }
}

/** The guard for single operations, which also redirects to the setup while no account exists. */
export function createRequireAuth(memory: UserMemory, requireUser: Guard): Guard {
  return (token) => {
    const configured = memory.anyExists();
    if (configured === true) return requireUser(token);
    // In parallel, so that a guard takes one round trip to the store. A failure of either rejects.
    const admitting = (async () => requireUser(token))();
    return Promise.all([configured, admitting]).then(([yes, admission]) =>
      yes ? admission : NEEDS_SETUP,
    );
  };
}

/** A verified token with the user that was last admitted with it. */
interface RememberedToken {
  readonly token: VerifiedToken;
  found: RememberedUser | undefined;
  /** Decided when the user was found, so that a guard has nothing to decide. */
  admission: Admission;
  /** The monotonic time at which the expiry is checked again. */
  recheckAt: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

const UNUSED = { found: undefined, admission: NEEDS_SIGN_IN, recheckAt: 0, noteUseAt: 0 };

/** Holds verified tokens only, so that clients without the secret cannot fill it. */
export const createTokenMemory = (): TokenMemory => createBoundedMemory(MAX_REMEMBERED);

type TokenMemory = BoundedMemory<string, RememberedToken>;

interface SessionParts {
  readonly remembered?: TokenMemory;
  /** Tells which sessions have ended by themselves, if the store keeps them. */
  readonly store?: Pick<SessionStore, "hasEnded"> | undefined;
  readonly recorder?: Pick<SessionRecorder, "used"> | undefined;
  /** Sessions that have signed out here, and that the store does not know as ended yet. */
  readonly waiting?: Pick<WaitingEnds, "has"> | undefined;
}

/**
 * The guard for whole handlers, which does not check whether an account exists. The hot path: with
 * token and user in memory it takes one map lookup and one clock read, without a promise, a signature
 * check or a query.
 */
export function createRequireUser(
  tokens: SessionTokens,
  memory: UserMemory,
  clock: Clock,
  { remembered = createTokenMemory(), store, recorder, waiting }: SessionParts = {},
): Guard {
  function verify(text: string): MaybePromise<Admission> {
    const token = tokens.verify(text);
    if (token === "forged") return FORGED_TOKEN;
    if (token === undefined) return NEEDS_SIGN_IN;
    const session: RememberedToken = { ...UNUSED, token };
    // A copy, since a slice would keep the whole Cookie header in memory.
    remembered.set(Buffer.from(text).toString(), session);
    return renew(text, session);
  }

  /** Looks the user up again, and checks the expiry by the system clock, which may have been set. */
  function renew(text: string, session: RememberedToken): MaybePromise<Admission> {
    const { id, userId, expiresAt } = session.token;
    const left = expiresAt - clock.now();
    if (left <= 0) {
      remembered.delete(text);
      return NEEDS_SIGN_IN;
    }
    if (id !== undefined && waiting?.has(id) === true) return NEEDS_SIGN_IN;
    session.recheckAt = clock.monotonic() + Math.min(left, RECHECK_AFTER_MS);
    const found = memory.find(userId);
    // What was found is as it was when this session was last admitted with it.
    if (found !== undefined && found === session.found) return admit(session, found);
    // In parallel, so that a guard takes one round trip to the store.
    const ended = id !== undefined && store?.hasEnded(id);
    return Promise.all([found, ended]).then(([user, yes]) =>
      admit(session, yes ? undefined : user),
    );
  }

  /** A session that has ended has no user. */
  function admit(session: RememberedToken, found: RememberedUser | undefined): Admission {
    const { token } = session;
    const isAlive = found !== undefined && found.sessionsFrom <= validUpTo(token);
    session.found = isAlive ? found : undefined;
    // Frozen, because every request of the session gets this object.
    session.admission = isAlive ? Object.freeze(admissionOf(found, token)) : NEEDS_SIGN_IN;
    if (isAlive) noteUse(session);
    return session.admission;
  }

  /** The store ignores a use within an hour after the last one, as after a sign-in. */
  function noteUse(session: RememberedToken): void {
    const { id } = session.token;
    if (id === undefined || clock.monotonic() < session.noteUseAt) return;
    session.noteUseAt = clock.monotonic() + USE_PRECISION_MS;
    recorder?.used(id);
  }

  return (text) => {
    if (text === undefined || text === "") return NEEDS_SIGN_IN;
    const session = remembered.get(text);
    if (session === undefined) return verify(text);
    const { found, admission } = session;
    if (found === undefined) return renew(text, session);
    const at = clock.monotonic();
    return at < found.until && at < session.recheckAt ? admission : renew(text, session);
  };
}

function admissionOf(found: RememberedUser, { factors, host }: VerifiedToken): Admission {
  const there = admissionAtHost(found, factors);
  return host === undefined ? there : { kind: "bound", host, there: Object.freeze(there) };
}

function admissionAtHost({ user, factor }: RememberedUser, factors: Factors): AdmissionAtHost {
  if (user.guest === true) return { kind: "guest", user, factors };
  if (factor === "missing") return { kind: "factor-missing", user };
  const isProven = factor === "optional" || factors === 2;
  return isProven ? { kind: "admitted", user, factors } : { kind: "factor-unproven" };
}
