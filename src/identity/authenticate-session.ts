import type { User } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type {
  CacheEntry,
  CachePart,
  CredentialCache,
  FoundCredential,
  RequiredFactor,
} from "./credential-cache.ts";
import type { PendingSignOuts } from "./pending-sign-outs.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import {
  computeValidUpTo,
  type Factors,
  type SessionTokens,
  type VerifiedToken,
} from "./session-token.ts";

/** Describes whom a session admits, or what its sign-in lacks. */
type AdmissionAtHost =
  | { readonly kind: "admitted"; readonly user: User; readonly factors: Factors }
  | { readonly kind: "guest"; readonly user: User; readonly factors: Factors }
  /** The account needs a second factor and has none. The user may turn one on. */
  | { readonly kind: "factor-missing"; readonly user: User }
  /** The account has a second factor, but this session was signed in without it. */
  | { readonly kind: "factor-unproven" };

export type Admission =
  | { readonly kind: "needs-setup" | "needs-sign-in" | "forged-token" }
  | AdmissionAtHost
  /** Only one host accepts this session. */
  | { readonly kind: "bound"; readonly host: string; readonly there: AdmissionAtHost };

/** Admits a signed-in user. The user can be a guest, whom a guard refuses. */
export type Admitted = Extract<Admission, { readonly kind: "admitted" | "guest" }>;

/** Admits no user, and says what is missing: the setup, a sign-in, a second factor or the host. */
export type NotAdmitted = Exclude<Admission, Admitted>;

/**
 * Authenticates a session token. Runs without a promise where possible, since it is on the hot
 * path.
 */
export type AuthenticateToken = (token: string | undefined) => MaybePromise<Admission>;

const NEEDS_SETUP: Admission = Object.freeze({ kind: "needs-setup" });
const NEEDS_SIGN_IN: Admission = Object.freeze({ kind: "needs-sign-in" });
const FORGED_TOKEN: Admission = Object.freeze({ kind: "forged-token" });

/** Returns whether a user is signed in. */
export function isAdmitted(admission: Admission): admission is Admitted {
  switch (admission.kind) {
    case "admitted":
    case "guest":
      return true;
    case "needs-setup":
    case "needs-sign-in":
    case "forged-token":
    case "factor-missing":
    case "factor-unproven":
    case "bound":
      return false;
  }
}

/** Returns the signed-in user, who can be a guest. */
export const getAdmittedUser = (admission: Admission): User | undefined =>
  isAdmitted(admission) ? admission.user : undefined;

/**
 * Authenticates a token for single operations. While no account exists, the result is
 * `needs-setup`.
 */
export function checkSetupFirst(
  credentialCache: Pick<CredentialCache, "anyExists">,
  authenticate: AuthenticateToken,
): AuthenticateToken {
  return (token) => {
    const anyExists = credentialCache.anyExists();
    if (anyExists === true) return authenticate(token);
    // The queries run in parallel, so that authentication takes one round trip to the store. A
    // failure of either query rejects.
    const authenticating = (async () => authenticate(token))();
    return Promise.all([anyExists, authenticating]).then(([yes, admission]) =>
      yes ? admission : NEEDS_SETUP,
    );
  };
}

/** Holds sessions in a part of the credential cache. */
export type SessionCache = CachePart<VerifiedToken, Admission>;

export const createSessionCache = (credentialCache: CredentialCache): SessionCache =>
  credentialCache.createPart({ admit: decideAdmission });

interface SessionParts {
  readonly store: Pick<StoreParts["sessions"], "findUser">;
  readonly recorder?: Pick<SessionRecorder, "recordUse"> | undefined;
  /**
   * Contains sessions that were signed out in this process, but that are not yet ended in the
   * store.
   */
  readonly pendingSignOuts: Pick<PendingSignOuts, "has">;
}

/**
 * Creates the function that authenticates session tokens; it does not check whether an account
 * exists. On the hot path, a cached session takes one map lookup and one clock read, without a
 * promise, a signature check or a query. Any other session takes one query.
 */
export function createAuthenticateToken(
  tokens: SessionTokens,
  cache: SessionCache,
  clock: Clock,
  { store, recorder, pendingSignOuts }: SessionParts,
): AuthenticateToken {
  function lookUp(text: string): MaybePromise<Admission> {
    const token = cache.findVerified(text) ?? tokens.verify(text);
    if (token === "forged") return FORGED_TOKEN;
    if (token === undefined) return NEEDS_SIGN_IN;
    if (token.expiresAt <= clock.now()) {
      cache.forgetText(text);
      return NEEDS_SIGN_IN;
    }
    if (token.id !== undefined && pendingSignOuts.has(token.id)) return NEEDS_SIGN_IN;
    return cache
      .lookUp(text, () => readSession(token))
      .then((outcome) => {
        switch (outcome.kind) {
          case "found":
            noteUse(outcome.entry);
            return outcome.entry.admission;
          case "expired":
          case "unknown":
            return NEEDS_SIGN_IN;
        }
      });
  }

  async function readSession(
    token: VerifiedToken,
  ): Promise<FoundCredential<VerifiedToken> | undefined> {
    const user = await store.findUser(token.id, token.userId);
    if (user === undefined || (user.sessionsFrom ?? 0) > computeValidUpTo(token)) return undefined;
    return { credential: token, expiresAt: token.expiresAt, user };
  }

  /** Records the use. The store ignores a use within an hour after the last use or the sign-in. */
  function noteUse(entry: CacheEntry<VerifiedToken, Admission>): void {
    const { id } = entry.credential;
    if (id !== undefined && cache.isUseDue(entry, clock.monotonic())) recorder?.recordUse(id);
  }

  return (text) => {
    if (text === undefined || text === "") return NEEDS_SIGN_IN;
    const entry = cache.findCurrent(text, clock.monotonic());
    return entry === undefined ? lookUp(text) : entry.admission;
  };
}

function decideAdmission(
  { factors, host }: VerifiedToken,
  user: User,
  factor: RequiredFactor,
): Admission {
  const there = decideAtHost(factors, user, factor);
  return host === undefined ? there : { kind: "bound", host, there: Object.freeze(there) };
}

function decideAtHost(factors: Factors, user: User, factor: RequiredFactor): AdmissionAtHost {
  if (user.guest === true) return { kind: "guest", user, factors };
  switch (factor) {
    case "optional":
      return { kind: "admitted", user, factors };
    case "required":
      return factors === 2 ? { kind: "admitted", user, factors } : { kind: "factor-unproven" };
    case "missing":
      return { kind: "factor-missing", user };
  }
}
