import { setImmediate as turn } from "node:timers/promises";
import type { Key, User } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import { getErrorMessage } from "../lib/fault.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { getNetwork } from "../lib/network.ts";
import { digestText } from "../lib/random-text.ts";
import type { ServerLog } from "../lib/server-log.ts";
import type { AttemptLimiter } from "./attempt-limiter.ts";
import type {
  CacheEntry,
  CredentialCache,
  FoundCredential,
  RequiredFactor,
} from "./credential-cache.ts";
import { findKeyText, isCompleteKey } from "./key-text.ts";
import type { Factors } from "./session-token.ts";

/**
 * `unknown` includes a revoked API key. `limited` follows too many wrong API keys from an address.
 * `factor-unproven` means that the API key comes from a sign-in with the password alone, where a
 * second factor is required.
 */
export type KeyProblem =
  | "mistyped"
  | "unknown"
  | "expired"
  | "other-host"
  | "factor-unproven"
  | "limited";

export interface KeyRefusal {
  readonly kind: "key-refused";
  readonly problem: KeyProblem;
}

export type KeyAdmission =
  | KeyRefusal
  | { readonly kind: "key-admitted"; readonly user: User; readonly factors: Factors };

/** Provides the facts of a request that are read only if its API key needs them. */
export interface KeyRequest {
  /** Returns the name of the requested host, if the name is known. */
  host(): string | undefined;
  /** Returns the address of the client. Without an address, wrong API keys are not counted. */
  address(): string | undefined;
}

/**
 * Authenticates an Authorization header. Returns `undefined` if the header has no API key. While no
 * account exists, also returns `undefined` for a wrong API key, since the setup comes first.
 */
export type AuthenticateKey = (
  authorization: string,
  request: KeyRequest,
) => MaybePromise<KeyAdmission | undefined>;

/** Longer headers are not cached: with Basic, usernames of any length would fill the memory. */
const MAX_REMEMBERED_LENGTH = 512;

interface AuthenticateKeyServices {
  readonly credentialCache: CredentialCache;
  readonly log: ServerLog;
  readonly store: Pick<StoreParts["keys"], "find" | "noteUsed">;
  readonly clock: Clock;
  /** The limiter counts wrong API keys. */
  readonly keyLimiter: Pick<AttemptLimiter, "attempt" | "isSpent">;
  /** Wrong API keys from one IPv6 network of this prefix length count together. */
  readonly limitIpv6Prefix: number;
}

/**
 * Creates the function that authenticates API keys. A cached API key takes one map lookup and one
 * clock read, like a session; any other takes one query. Wrong API keys never block a right one
 * from the same address, since programs behind one router share an address.
 */
export function createAuthenticateKey(services: AuthenticateKeyServices): AuthenticateKey {
  const { store, credentialCache, clock, keyLimiter, limitIpv6Prefix, log } = services;
  // The key of the cache is the whole header.
  const cache = credentialCache.createPart({
    admit: decideAdmission,
    maxTextLength: MAX_REMEMBERED_LENGTH,
  });
  const lookingUp = new Set<string>();

  async function verify(
    authorization: string,
    text: string,
    request: KeyRequest,
  ): Promise<KeyAdmission | undefined> {
    if (!(await credentialCache.anyExists())) return undefined;
    if (!isCompleteKey(text)) return refuse("mistyped", request);
    const address = findNetwork(request);
    // After too many wrong API keys, lookups for an address run one at a time, so that a flood does
    // not overload the store.
    const isFlood = address !== undefined && keyLimiter.isSpent(address);
    if (isFlood && lookingUp.has(address)) return createKeyRefusal("limited");
    if (isFlood) lookingUp.add(address);
    try {
      return await lookUp(authorization, digestText(text), request);
    } finally {
      if (isFlood) lookingUp.delete(address);
    }
  }

  async function lookUp(
    authorization: string,
    hash: string,
    request: KeyRequest,
  ): Promise<KeyAdmission> {
    const outcome = await cache.lookUp(authorization, () => readKey(hash));
    switch (outcome.kind) {
      case "found":
        return decide(outcome.entry, request, clock.monotonic());
      case "expired":
      case "unknown":
        return refuse(outcome.kind, request);
    }
  }

  async function readKey(hash: string): Promise<FoundCredential<Key> | undefined> {
    const found = await store.find(hash);
    if (found === undefined) return undefined;
    const { key, user } = found;
    const expiresAt = key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return { credential: key, expiresAt, user };
  }

  /**
   * Records the use in the background. The store ignores a use within an hour after the last one.
   */
  function noteUse({ id }: Key): void {
    const failed = (error: unknown) =>
      log.warn({ reason: getErrorMessage(error) }, "the last use of a key was not recorded");
    turn()
      .then(() => store.noteUsed(id, new Date(clock.now())))
      .catch(failed);
  }

  function findNetwork(request: KeyRequest): string | undefined {
    const address = request.address();
    return address && getNetwork(address, limitIpv6Prefix);
  }

  function decide(
    entry: CacheEntry<Key, KeyAdmission>,
    request: KeyRequest,
    now: number,
  ): KeyAdmission {
    const { credential: key, admission } = entry;
    const isOpen = key.hosts === undefined || key.hosts.includes(request.host() ?? "");
    if (!isOpen) return refuse("other-host", request);
    if (admission.kind === "key-admitted" && cache.isUseDue(entry, now)) noteUse(key);
    return admission;
  }

  function refuse(problem: KeyProblem, request: KeyRequest): KeyRefusal {
    const address = findNetwork(request);
    const isLimited = address !== undefined && keyLimiter.attempt(address) === "denied";
    return createKeyRefusal(isLimited ? "limited" : problem);
  }

  return (authorization, request) => {
    const now = clock.monotonic();
    const entry = cache.findCurrent(authorization, now);
    if (entry !== undefined) return decide(entry, request, now);
    const known = cache.findVerified(authorization);
    if (known !== undefined) return lookUp(authorization, known.hash, request);
    const text = findKeyText(authorization);
    return text === undefined ? undefined : verify(authorization, text, request);
  };
}

function decideAdmission({ factors }: Key, user: User, factor: RequiredFactor): KeyAdmission {
  if (factor !== "optional" && factors !== 2) return createKeyRefusal("factor-unproven");
  return { kind: "key-admitted", user, factors: factors === 2 ? 2 : 1 };
}

export const createKeyRefusal = (problem: KeyProblem): KeyRefusal => ({
  kind: "key-refused",
  problem,
});
