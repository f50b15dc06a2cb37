import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { UserId } from "../store.ts";
import { type Jwt, jwtKey, readJwt, signJwt } from "./jwt.ts";

/** Thirty days, for the token and its cookie. */
export const SESSION_LIFETIME_SECONDS = 2_592_000;

/**
 * Signs tokens when no secret is set. It is public, so anyone can forge sessions with it: for
 * development only, refused in production.
 */
export const DEVELOPMENT_SECRET = "latchkey development secret: everybody knows it";

/** A header parameter instead of a claim, so that other readers of the token ignore it. */
const SESSIONS_FROM = "sessions_from";

export interface VerifiedToken {
  /** The claim `jti`; `undefined` if the token does not contain one. */
  readonly jti: string | undefined;
  readonly userId: UserId;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** In seconds since 1970; 0 if the token does not contain it. */
  readonly issuedAt: number;
  /** The user's `sessionsFrom` at the sign-in; 0 if the token does not contain it. */
  readonly sessionsFrom: number;
}

export interface SessionTokens {
  /**
   * @param sessionsFrom The user's, if set. The token records it.
   * @param id Of the session. Default: a new one.
   */
  issue(userId: UserId, sessionsFrom?: number, id?: string): string;
  /** Issues the token of a session that continues under another ID: it expires when it would have. */
  reissue(token: VerifiedToken, sessionsFrom: number, id: string): string;
  /**
   * Returns the content of a genuine, unexpired token, `forged` for a text that is not a token or that
   * none of the secrets has signed, and `undefined` for a genuine token that is not a session.
   */
  verify(token: string): VerifiedToken | "forged" | undefined;
}

/** The ID of a new session, which its token carries as `jti`. */
export const newSessionId = (): string => randomBytes(16).toString("hex");

/** Signs new tokens with the secret, and also accepts tokens signed with a previous secret. */
export function createSessionTokens(
  secret: string,
  clock: Pick<Clock, "now">,
  previousSecrets: readonly string[] = [],
): SessionTokens {
  const key = jwtKey(secret);
  const keys = [key, ...previousSecrets.map(jwtKey)];
  return {
    issue(userId, sessionsFrom, id = newSessionId()) {
      const header = sessionsFrom === undefined ? {} : { [SESSIONS_FROM]: sessionsFrom };
      const iat = secondsOf(clock);
      const exp = iat + SESSION_LIFETIME_SECONDS;
      return signJwt({ header, claims: { user_id: userId, jti: id, iat, exp } }, key);
    },

    reissue({ userId, issuedAt: iat, expiresAt }, sessionsFrom, id) {
      const claims = { user_id: userId, jti: id, iat, exp: expiresAt / 1000 };
      return signJwt({ header: { [SESSIONS_FROM]: sessionsFrom }, claims }, key);
    },

    verify(token) {
      const jwt = readJwt(token, keys);
      return jwt === undefined ? "forged" : sessionIn(jwt, secondsOf(clock));
    },
  };
}

const secondsOf = (clock: Pick<Clock, "now">): number => Math.floor(clock.now() / 1000);

/** The session of a genuine token at a time in seconds; `undefined` if it is not a valid session. */
function sessionIn({ header, claims }: Jwt, now: number): VerifiedToken | undefined {
  const { user_id: userId, exp, iat = 0, nbf = 0, jti } = claims;
  if (typeof userId !== "string" || userId === "") return undefined;
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf)) return undefined;
  if (exp <= now || nbf > now) return undefined;
  const from = header[SESSIONS_FROM];
  return {
    jti: typeof jti === "string" ? jti : undefined,
    userId: userId as UserId,
    expiresAt: exp * 1000,
    issuedAt: iat,
    sessionsFrom: typeof from === "number" ? from : 0,
  };
}

/** JSON.parse reads 1e999 as Infinity, which would be a session without an end. */
const isTime = (value: unknown): value is number => Number.isFinite(value);
