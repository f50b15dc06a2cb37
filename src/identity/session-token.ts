import { randomBytes } from "node:crypto";
import type { UserId } from "../db/records.ts";
import { CLOCK_MARGIN_SECONDS, type Clock, readSeconds } from "../lib/clock.ts";
import { createJwtKey, type Jwt, parseJwt, signJwt } from "./jwt.ts";

/** A session lasts thirty days by default. */
export const SESSION_LIFETIME_SECONDS = 2_592_000;

/**
 * This secret signs tokens when no secret is set. It is public, so anyone can forge sessions with
 * it. It is for development only, and production refuses it.
 */
export const DEVELOPMENT_SECRET = "latchkey development secret: everybody knows it";

/**
 * These values are header parameters instead of claims, so that other readers of the token ignore
 * them.
 */
const SESSIONS_FROM = "sessions_from";
const FACTORS = "factors";
const HOST = "host";

/** Counts the factors of a sign-in. A sign-in with a one-time code or with a passkey has two. */
export type Factors = 1 | 2;

/** Contains the content of a token. Times are in milliseconds since 1970. */
export interface VerifiedToken {
  /**
   * The ID identifies the session and comes from the claim `jti`. It is `undefined` if the token
   * does not contain the claim.
   */
  readonly id: string | undefined;
  readonly userId: UserId;
  readonly expiresAt: number;
  /** The value is 0 if the token does not contain a time of issue. */
  readonly issuedAt: number;
  /**
   * The value is the user's `sessionsFrom` at the sign-in, or 0 if the token does not contain it.
   */
  readonly sessionsFrom: number;
  /** The value counts the factors of the sign-in, or those that were turned on since then. */
  readonly factors: Factors;
  /**
   * Only this host accepts the token. The value is `undefined` for a session of the sign-in itself.
   */
  readonly host: string | undefined;
}

export interface IssuedToken extends VerifiedToken {
  readonly id: string;
  readonly text: string;
}

export interface SessionTokens {
  /** @param sessionsFrom The user's value, if set. The token records it. */
  issue(userId: UserId, sessionsFrom?: number, factors?: Factors): IssuedToken;
  /** Signs the content of a token of a known session, under the ID of that session or a new ID. */
  sign(token: Omit<VerifiedToken, "id">, id?: string): IssuedToken;
  /**
   * Returns the content of a genuine, unexpired token. Returns `forged` for a text that is not a
   * token or that none of the secrets has signed, and `undefined` for a genuine token that is not a
   * session.
   */
  verify(token: string): VerifiedToken | "forged" | undefined;
}

/**
 * Creates the functions for session tokens. They sign new tokens with the secret, and also accept
 * tokens signed with a previous secret.
 */
export function createSessionTokens(
  secret: string,
  clock: Pick<Clock, "now">,
  previousSecrets: readonly string[] = [],
  lifetimeSeconds: number = SESSION_LIFETIME_SECONDS,
): SessionTokens {
  const key = createJwtKey(secret);
  const keys = [key, ...previousSecrets.map(createJwtKey)];

  function sign(
    token: Omit<VerifiedToken, "id">,
    id: string = randomBytes(16).toString("hex"),
  ): IssuedToken {
    const [iat, exp] = [token.issuedAt / 1_000, token.expiresAt / 1_000];
    // The token leaves out fields that are `undefined`.
    const header = {
      [SESSIONS_FROM]: token.sessionsFrom || undefined,
      [FACTORS]: token.factors === 2 ? 2 : undefined,
      [HOST]: token.host,
    };
    const text = signJwt({ header, claims: { user_id: token.userId, jti: id, iat, exp } }, key);
    return { ...token, id, text };
  }

  return {
    issue(userId, sessionsFrom = 0, factors = 1) {
      const issuedAt = readSeconds(clock) * 1_000;
      const expiresAt = issuedAt + lifetimeSeconds * 1_000;
      return sign({ userId, issuedAt, expiresAt, sessionsFrom, factors, host: undefined });
    },

    sign,

    verify(token) {
      const jwt = parseJwt(token, keys);
      return jwt === undefined ? "forged" : toVerifiedToken(jwt, readSeconds(clock));
    },
  };
}

/**
 * Returns the session of a genuine token at a time in seconds, and `undefined` if the session is
 * not valid.
 */
function toVerifiedToken({ header, claims }: Jwt, now: number): VerifiedToken | undefined {
  const { user_id: userId, exp, iat = 0, nbf = 0, jti } = claims;
  if (typeof userId !== "string" || userId === "") return undefined;
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf)) return undefined;
  if (exp <= now || nbf > now) return undefined;
  const { [SESSIONS_FROM]: from, [HOST]: host } = header;
  // Converted to a text, the list `["a.example"]` would equal that host.
  if (host !== undefined && typeof host !== "string") return undefined;
  return {
    id: typeof jti === "string" ? jti : undefined,
    userId: userId as UserId,
    expiresAt: exp * 1_000,
    issuedAt: iat * 1_000,
    // The check refuses Infinity, which JSON.parse returns for 1e999: such a session could not be
    // ended.
    sessionsFrom: isSecond(from) ? from : 0,
    factors: header[FACTORS] === 2 ? 2 : 1,
    host,
  };
}

const isSecond = (value: unknown): value is number => Number.isSafeInteger(value);

/**
 * Returns whether a value is a time that is also finite in milliseconds. JSON.parse reads 1e999 as
 * Infinity, which would be a session without an end.
 */
const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value * 1_000);

/**
 * Computes the largest `sessionsFrom` of its user with which a session is still valid. Within the
 * clock margin, the time of issue does not decide, so a token records the user's `sessionsFrom` at
 * the sign-in.
 */
export const computeValidUpTo = (token: Pick<VerifiedToken, "issuedAt" | "sessionsFrom">): number =>
  Math.max(token.sessionsFrom, token.issuedAt / 1_000 - CLOCK_MARGIN_SECONDS);

const RECENT_SECONDS = 600;

/**
 * Returns whether the user has signed in within the last ten minutes, which confirms a change of
 * how the account signs in. A token without a time of issue is never recent. Neither is a token
 * from further ahead than the clocks of instances may differ.
 */
export function isRecentSignIn(
  { issuedAt }: Pick<VerifiedToken, "issuedAt">,
  { now }: Pick<Clock, "now">,
): boolean {
  const age = (now() - issuedAt) / 1_000;
  return issuedAt > 0 && age < RECENT_SECONDS && age > -CLOCK_MARGIN_SECONDS;
}
