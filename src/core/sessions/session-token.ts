import { randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { UserId } from "../records.ts";
import { type Jwt, jwtKey, readJwt, signJwt } from "./jwt.ts";

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
  /** Of the sign-in, or of what was turned on since then. */
  readonly factors: Factors;
  /** The only host that accepts it; `undefined` for a session of the sign-in itself. */
  readonly host: string | undefined;
}

/** A new token, with what it says. Times are in milliseconds since 1970. */
export interface IssuedToken {
  readonly text: string;
  /** Of its session: the claim `jti`. */
  readonly id: string;
  readonly userId: UserId;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export interface SessionTokens {
  /** @param sessionsFrom The user's, if set. The token records it. */
  issue(userId: UserId, sessionsFrom?: number, factors?: Factors): IssuedToken;
  /** Issues the token of a session that continues under a new ID: it expires when it would have. */
  reissue(token: Omit<VerifiedToken, "jti">, sessionsFrom: number): IssuedToken;
  /** The same session with two factors. It ends when the session does, because it has its ID. */
  proven(token: VerifiedToken): IssuedToken;
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
  const key = jwtKey(secret);
  const keys = [key, ...previousSecrets.map(jwtKey)];

  function issued(
    userId: UserId,
    [iat, exp]: readonly [number, number],
    header: Jwt["header"],
    id = randomBytes(16).toString("hex"),
  ): IssuedToken {
    const text = signJwt({ header, claims: { user_id: userId, jti: id, iat, exp } }, key);
    return { text, id, userId, issuedAt: iat * 1_000, expiresAt: exp * 1_000 };
  }

  return {
    issue(userId, sessionsFrom, factors = 1) {
      const iat = secondsOf(clock);
      const header = { factors, sessionsFrom, host: undefined };
      return issued(userId, [iat, iat + lifetimeSeconds], headerOf(header));
    },

    reissue: ({ userId, issuedAt, expiresAt, ...token }, sessionsFrom) =>
      issued(userId, [issuedAt, expiresAt / 1_000], headerOf({ ...token, sessionsFrom })),

    proven: ({ userId, issuedAt, expiresAt, jti, ...token }) =>
      issued(userId, [issuedAt, expiresAt / 1_000], headerOf({ ...token, factors: 2 }), jti),

    verify(token) {
      const jwt = readJwt(token, keys);
      return jwt === undefined ? "forged" : sessionIn(jwt, secondsOf(clock));
    },
  };
}

/** What is `undefined` is left out of the token. */
const headerOf = ({
  factors,
  sessionsFrom,
  host,
}: Pick<VerifiedToken, "factors" | "host"> & {
  readonly sessionsFrom: number | undefined;
}): Jwt["header"] => ({
  [SESSIONS_FROM]: sessionsFrom,
  [FACTORS]: factors === 2 ? factors : undefined,
  [HOST]: host,
});

const secondsOf = (clock: Pick<Clock, "now">): number => Math.floor(clock.now() / 1000);

/** The session of a genuine token at a time in seconds; `undefined` if it is not a valid session. */
function sessionIn({ header, claims }: Jwt, now: number): VerifiedToken | undefined {
  const { user_id: userId, exp, iat = 0, nbf = 0, jti } = claims;
  if (typeof userId !== "string" || userId === "") return undefined;
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf)) return undefined;
  if (exp <= now || nbf > now) return undefined;
  const { [SESSIONS_FROM]: from, [HOST]: host } = header;
  return {
    jti: typeof jti === "string" ? jti : undefined,
    userId: userId as UserId,
    expiresAt: exp * 1000,
    issuedAt: iat,
    sessionsFrom: typeof from === "number" ? from : 0,
    factors: header[FACTORS] === 2 ? 2 : 1,
    // Of any other type, it is bound to a host that nobody can ask for.
    host: host === undefined ? undefined : String(host),
  };
}

/** JSON.parse reads 1e999 as Infinity, which would be a session without an end. */
const isTime = (value: unknown): value is number => Number.isFinite(value);
