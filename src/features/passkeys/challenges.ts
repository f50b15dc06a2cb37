import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { AnsweredChallenge, UserId } from "../../db/records.ts";
import { parseJwt, signJwt } from "../../identity/jwt.ts";
import type { Clock } from "../../lib/clock.ts";
import { deriveKey } from "../../lib/derive-key.ts";

const LIFETIME_MS = 5 * 60_000;

/**
 * What an answer may be used for: any sign-in, or one more passkey of this user, until all sessions
 * of the user end.
 */
type ChallengePurpose =
  | "sign-in"
  | { readonly addTo: UserId; readonly sessionsFrom?: number | undefined };

/**
 * Challenges are signed, so that the server stores only those that were answered. They are not
 * sealed: any client gets challenges, in any number, and a key with random nonces seals only a
 * limited number of texts safely.
 */
export interface Challenges {
  /** A challenge in base64url, valid for five minutes. */
  issue(purpose: ChallengePurpose): string;
  /** Returns `undefined` unless one of the secrets signed it for this purpose and it is valid. */
  verify(
    challenge: string,
    purpose: ChallengePurpose,
  ): Omit<AnsweredChallenge, "userId"> | undefined;
}

/** Signs with the secret, and also accepts challenges signed with a previous one. */
export function createChallenges(
  secrets: readonly [string, ...string[]],
  clock: Pick<Clock, "now">,
): Challenges {
  const [key, ...previous] = secrets.map(deriveChallengeKey) as [KeyObject, ...KeyObject[]];

  return {
    issue(purpose) {
      const id = randomBytes(16).toString("base64url");
      const claims = { id, expiresAt: clock.now() + LIFETIME_MS, purpose: formatPurpose(purpose) };
      return Buffer.from(signJwt({ header: {}, claims }, key)).toString("base64url");
    },

    verify(challenge, purpose) {
      const text = Buffer.from(challenge, "base64url").toString();
      const { claims = {} } = parseJwt(text, [key, ...previous]) ?? {};
      const { id, expiresAt } = claims;
      if (typeof id !== "string" || typeof expiresAt !== "number") return undefined;
      if (claims.purpose !== formatPurpose(purpose) || expiresAt <= clock.now()) return undefined;
      return { id, expiresAt: new Date(expiresAt) };
    },
  };
}

/** A key of its own, so that a challenge is no session, and a session no challenge. */
const deriveChallengeKey = (secret: string): KeyObject =>
  createSecretKey(deriveKey(secret, "latchkey passkey challenges"));

const formatPurpose = (purpose: ChallengePurpose): string =>
  purpose === "sign-in" ? purpose : JSON.stringify([purpose.addTo, purpose.sessionsFrom ?? null]);
