import { setImmediate as turn } from "node:timers/promises";
import { type Key, USE_PRECISION_MS, type User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { createBoundedMemory } from "../base/bounded-memory.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { networkOf } from "../base/network.ts";
import { hashOf } from "../base/random-text.ts";
import type { AttemptLimiter } from "../limits/attempt-limiter.ts";
import type { AllPorts } from "../ports.ts";
import type { Factors } from "../sessions/session-token.ts";
import { MAX_REMEMBERED, RECHECK_AFTER_MS, type RememberedUser } from "../sessions/user-memory.ts";
import { isWhole, keyTextIn } from "./key-text.ts";

/**
 * `unknown` is also a key that was revoked; `limited` follows too many wrong keys of an address;
 * `factor-unproven` is a key of a sign-in with the password alone, where a second factor is needed.
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

/** What is read of a request only if its key needs it. */
export interface KeyRequest {
  /** The name of the host that it asks for, if that is known. */
  host(): string | undefined;
  /** Without it, wrong keys are not counted. */
  address(): string | undefined;
}

/**
 * Decides over an Authorization header. `undefined` if it has no key, or a wrong one while there is
 * no account, since the setup comes first.
 */
export type KeyGuard = (
  authorization: string,
  request: KeyRequest,
) => MaybePromise<KeyAdmission | undefined>;

/** Longer headers are not remembered: with Basic, usernames of any length would fill the memory. */
const MAX_REMEMBERED_LENGTH = 512;

interface KeyGuardPorts extends Pick<AllPorts, "memory" | "log"> {
  readonly store: Pick<StoreParts["keys"], "find" | "noteUsed">;
  readonly clock: Clock;
  /** Counts wrong keys. */
  readonly keyLimiter: Pick<AttemptLimiter, "attempt" | "isSpent">;
  /** Wrong keys from one IPv6 network of this prefix length count together. */
  readonly limitIpv6Prefix: number;
}

/** A verified key with the user that was last admitted with it. */
interface RememberedKey {
  readonly key: Key;
  found: RememberedUser | undefined;
  /** The monotonic time at which the expiry is checked again. */
  recheckAt: number;
  /** The monotonic time from which a use is noted again. */
  noteUseAt: number;
}

/**
 * For a remembered key, it takes one map lookup and one clock read, as a session does. Wrong keys
 * never keep a right one from the same address out, which programs behind one router share.
 */
export function createKeyGuard(ports: KeyGuardPorts): KeyGuard {
  const { store, memory, clock, keyLimiter, limitIpv6Prefix, log } = ports;
  // By the whole header. Verified keys only, so that clients without one cannot fill it.
  const remembered = createBoundedMemory<string, RememberedKey>(MAX_REMEMBERED);
  const lookingUp = new Set<string>();

  async function verify(authorization: string, text: string, request: KeyRequest) {
    if (!(await memory.anyExists())) return undefined;
    if (!isWhole(text)) return refusal("mistyped", request);
    const address = networkIn(request);
    // After too many wrong keys one at a time, so that a flood does not keep the store busy.
    const isFlood = address !== undefined && keyLimiter.isSpent(address);
    if (isFlood && lookingUp.has(address)) return refusalFor("limited");
    if (isFlood) lookingUp.add(address);
    try {
      const key = await store.find(hashOf(text));
      if (key === undefined) return refusal("unknown", request);
      const entry: RememberedKey = { key, found: undefined, recheckAt: 0, noteUseAt: 0 };
      if (authorization.length <= MAX_REMEMBERED_LENGTH) remembered.set(authorization, entry);
      return await renewed(authorization, entry, request);
    } finally {
      if (isFlood) lookingUp.delete(address);
    }
  }

  const renewed = (authorization: string, entry: RememberedKey, request: KeyRequest) =>
    andThen(renew(entry), (found) => {
      if (typeof found === "object") return decide(entry, found, request, clock.monotonic());
      remembered.delete(authorization);
      return refusal(found, request);
    });

  /** Looks the user up again, and checks the expiry by the system clock, which may have been set. */
  function renew(entry: RememberedKey): MaybePromise<RememberedUser | "expired" | "unknown"> {
    const { key } = entry;
    const left = (key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now();
    // Also for an invalid date.
    if (!(left > 0)) return "expired";
    entry.recheckAt = clock.monotonic() + Math.min(left, RECHECK_AFTER_MS);
    const found = memory.find(key.userId);
    // What was found is as it was when this key was last admitted.
    if (found !== undefined && found === entry.found) return admit(entry, found);
    // After the user, who is forgotten when the key is revoked: a later end is noticed in any case.
    return Promise.all([found, store.find(key.hash)]).then(([user, still]) =>
      admit(entry, still && user),
    );
  }

  function admit(
    entry: RememberedKey,
    found: RememberedUser | undefined,
  ): RememberedUser | "unknown" {
    entry.found = found;
    return found ?? "unknown";
  }

  /** In the background. The store ignores a use within an hour after the last one. */
  function noteUse(entry: RememberedKey, at: number): void {
    entry.noteUseAt = at + USE_PRECISION_MS;
    const failed = (error: unknown) =>
      log.warn({ reason: messageOf(error) }, "the last use of a key was not recorded");
    turn()
      .then(() => store.noteUsed(entry.key.id, new Date(clock.now())))
      .catch(failed);
  }

  function networkIn(request: KeyRequest): string | undefined {
    const address = request.address();
    return address && networkOf(address, limitIpv6Prefix);
  }

  function decide(
    entry: RememberedKey,
    { user, factor }: RememberedUser,
    request: KeyRequest,
    at: number,
  ): KeyAdmission {
    const { hosts, factors } = entry.key;
    const isOpen = hosts === undefined || hosts.includes(request.host() ?? "");
    if (!isOpen) return refusal("other-host", request);
    if (factor !== "optional" && factors !== 2) return refusalFor("factor-unproven");
    if (at >= entry.noteUseAt) noteUse(entry, at);
    return { kind: "key-admitted", user, factors: factors === 2 ? 2 : 1 };
  }

  function refusal(problem: KeyProblem, request: KeyRequest): KeyRefusal {
    const address = networkIn(request);
    const isLimited = address !== undefined && keyLimiter.attempt(address) === "denied";
    return refusalFor(isLimited ? "limited" : problem);
  }

  return (authorization, request) => {
    const entry = remembered.get(authorization);
    if (entry === undefined) {
      const text = keyTextIn(authorization);
      return text === undefined ? undefined : verify(authorization, text, request);
    }
    const { found } = entry;
    const at = clock.monotonic();
    if (found !== undefined && at < found.until && at < entry.recheckAt) {
      return decide(entry, found, request, at);
    }
    return renewed(authorization, entry, request);
  };
}

export const refusalFor = (problem: KeyProblem): KeyRefusal => ({ kind: "key-refused", problem });
