import { randomBytes } from "node:crypto";
import type { UserId } from "../db/records.ts";
import { CLOCK_MARGIN_SECONDS, type Clock, secondsOf } from "../lib/clock.ts";
import { createJwtKey, type Jwt, parseJwt, signJwt } from "./jwt.ts";

/** Thirty days, unless an option says otherwise. */
export const SESSION_LIFETIME_SECONDS = 2_592_000;

/**
 * Signs tokens when no secret is set. It is public, so anyone can forge sessions with it: for
 * development only, refused in production.
 */
export const DEVELOPMENT_SECRET = "latchkey development secret: everybody knows it";

/** A header parameter instead of a claim, so that other readers of the token ignore it. */
const SESSIONS_FROM = "sessions_from";
const FACTORS = "factors";
const HOST = "host";

/** How many factors a sign-in had: two with a one-time code, or with a passkey. */
export type Factors = 1 | 2;

/** What a token says. Times are in milliseconds since 1970. */
export interface VerifiedToken {
  /** Of its session: the claim `jti`; `undefined` if the token does not contain one. */
  readonly id: string | undefined;
  readonly userId: UserId;
  readonly expiresAt: number;
  /** 0 if the token does not contain it. */
  readonly issuedAt: number;
  /** The user's `sessionsFrom` at the sign-in; 0 if the token does not contain it. */
  readonly sessionsFrom: number;
  /** Of the sign-in, or of what was turned on since then. */
  readonly factors: Factors;
  /** The only host that accepts it; `undefined` for a session of the sign-in itself. */
  readonly host: string | undefined;
}

export interface IssuedToken extends VerifiedToken {
  readonly id: string;
  readonly text: string;
}

export interface SessionTokens {
  /** @param sessionsFrom The user's, if set. The token records it. */
  issue(userId: UserId, sessionsFrom?: number, factors?: Factors): IssuedToken;
  /** Signs what the token of a known session says, under the ID of the session or a new one. */
  sign(token: Omit<VerifiedToken, "id">, id?: string): IssuedToken;
  /**
   * Returns the content of a genuine, unexpired token, `forged` for a text that is not a token or that
   * none of the secrets has signed, and `undefined` for a genuine token that is not a session.
   */
  verify(token: string): VerifiedToken | "forged" | undefined;
}

/** Signs new tokens with the secret, and also accepts tokens signed with a previous secret. */
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
    // What is `undefined` is left out of the token.
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
      const issuedAt = secondsOf(clock) * 1_000;
      const expiresAt = issuedAt + lifetimeSeconds * 1_000;
      return sign({ userId, issuedAt, expiresAt, sessionsFrom, factors, host: undefined });
    },

    sign,

    verify(token) {
      const jwt = parseJwt(token, keys);
      return jwt === undefined ? "forged" : toVerifiedToken(jwt, secondsOf(clock));
    },
  };
}

/** The session of a genuine token at a time in seconds; `undefined` if it is not a valid session. */
function toVerifiedToken({ header, claims }: Jwt, now: number): VerifiedToken | undefined {
  const { user_id: userId, exp, iat = 0, nbf = 0, jti } = claims;
  if (typeof userId !== "string" || userId === "") return undefined;
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf)) return undefined;
  if (exp <= now || nbf > now) return undefined;
  const { [SESSIONS_FROM]: from, [HOST]: host } = header;
  // Converted to a text, the list `["a.example"]` would count as that host.
  if (host !== undefined && typeof host !== "string") return undefined;
  return {
    id: typeof jti === "string" ? jti : undefined,
    userId: userId as UserId,
    expiresAt: exp * 1_000,
    issuedAt: iat * 1_000,
    // Not Infinity, as which JSON.parse reads 1e999: such a session could not be ended.
    sessionsFrom: isSecond(from) ? from : 0,
    factors: header[FACTORS] === 2 ? 2 : 1,
    host,
  };
}

const isSecond = (value: unknown): value is number => Number.isSafeInteger(value);

/** JSON.parse reads 1e999 as Infinity, which would be a session without an end. */
const isTime = (value: unknown): value is number => Number.isFinite(value);

/**
 * The largest `sessionsFrom` of its user with which a session has not ended. Within the margin the
 * time of issue does not decide, so a token records the user's `sessionsFrom` at the sign-in.
 */
export const computeValidUpTo = (token: Pick<VerifiedToken, "issuedAt" | "sessionsFrom">): number =>
  Math.max(token.sessionsFrom, token.issuedAt / 1_000 - CLOCK_MARGIN_SECONDS);

const RECENT_SECONDS = 600;

/**
 * Whether the user of the session has signed in within the last ten minutes, which confirms a change
 * of how the account signs in. A token without a time of issue is never recent, whatever the clock
 * shows. Neither is one from further ahead than clocks of instances may differ.
 */
export function isRecentSignIn(
  { issuedAt }: Pick<VerifiedToken, "issuedAt">,
  { now }: Pick<Clock, "now">,
): boolean {
  const age = (now() - issuedAt) / 1_000;
  return issuedAt > 0 && age < RECENT_SECONDS && age > -CLOCK_MARGIN_SECONDS;
}
