import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { AnsweredChallenge, UserId } from "../../db/records.ts";
import { parseJwt, signJwt } from "../../identity/jwt.ts";
import type { Clock } from "../../lib/clock.ts";
import { deriveKey } from "../../lib/derive-key.ts";

const LIFETIME_MS = 5 * 60_000;

/**
 * Says what the response to a challenge may do: sign in any user, or add a passkey to this user.
 * The second purpose is no longer valid when all sessions of the user are ended.
 */
type ChallengePurpose =
  | "sign-in"
  | { readonly addTo: UserId; readonly sessionsFrom?: number | undefined };

/**
 * Issues signed challenges, so the server stores only answered ones. Challenges are not sealed: any
 * client can request any number, and a key with random nonces seals only a limited number of texts
 * safely.
 */
export interface Challenges {
  /** Returns a challenge in base64url. It is valid for five minutes. */
  issue(purpose: ChallengePurpose): string;
  /**
   * Returns `undefined` unless the challenge is valid and one of the secrets signed it for this
   * purpose.
   */
  verify(
    challenge: string,
    purpose: ChallengePurpose,
  ): Omit<AnsweredChallenge, "userId"> | undefined;
}

/**
 * Creates challenges. It signs with the secret, and also accepts challenges signed with a previous
 * secret.
 */
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

/**
 * Derives a separate key, so that a challenge never counts as a session, or a session as a
 * challenge.
 */
const deriveChallengeKey = (secret: string): KeyObject =>
  createSecretKey(deriveKey(secret, "latchkey passkey challenges"));

const formatPurpose = (purpose: ChallengePurpose): string =>
  purpose === "sign-in" ? purpose : JSON.stringify([purpose.addTo, purpose.sessionsFrom ?? null]);
