import { createSecretKey, randomBytes } from "node:crypto";
// Imported by path: the whole of jose takes 2 MB more.
import { JWTClaimValidationFailed, JWTExpired } from "jose/errors";
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import type { Clock } from "./clock.ts";
import type { UserId } from "./store.ts";

/** Thirty days, for the token and its cookie. */
export const SESSION_LIFETIME_SECONDS = 2_592_000;

/**
 * Signs tokens when no secret is set. It is public, so anyone can forge sessions with it: for
 * development only, refused in production.
 */
export const DEVELOPMENT_SECRET = "latchkey development secret: everybody knows it";

const ALGORITHM = "HS256";
/** A header parameter instead of a claim, so that other readers of the token ignore it. */
const SESSIONS_FROM = "sessions_from";
const HMAC_SHA256 = { name: "HMAC", hash: "SHA-256" };

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
  issue(userId: UserId, sessionsFrom?: number, id?: string): Promise<string>;
  /**
   * Returns the content of a genuine, unexpired token, `forged` for a text that is not a token or that
   * none of the secrets has signed, and `undefined` for a genuine token that is not a session.
   */
  verify(token: string): Promise<VerifiedToken | "forged" | undefined>;
}

/** The ID of a new session, which its token carries as `jti`. */
export const newSessionId = (): string => randomBytes(16).toString("hex");

/** Signs new tokens with the secret, and also accepts tokens signed with a previous secret. */
export function createSessionTokens(
  secret: string,
  clock: Pick<Clock, "now">,
  previousSecrets: readonly string[] = [],
): SessionTokens {
  const key = keyOf(secret);
  const keys = [key, ...previousSecrets.map(keyOf)];

  async function verifiedBy(
    one: CryptoKey,
    token: string,
  ): Promise<VerifiedToken | "forged" | undefined> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, one, {
        algorithms: [ALGORITHM],
        requiredClaims: ["exp"],
        currentDate: new Date(clock.now()),
      });
      const { user_id: userId, exp, iat = 0, jti } = payload;
      if (typeof userId !== "string" || userId === "") return undefined;
      // JSON.parse reads 1e999 as Infinity, which would be a session without an end.
      if (exp === undefined || !Number.isFinite(exp) || !Number.isFinite(iat)) return undefined;
      const from = protectedHeader[SESSIONS_FROM];
      const sessionsFrom = typeof from === "number" ? from : 0;
      return {
        jti: typeof jti === "string" ? jti : undefined,
        userId: userId as UserId,
        expiresAt: exp * 1000,
        issuedAt: iat,
        sessionsFrom,
      };
    } catch (error) {
      // Claims are read only after the signature was verified. Any other failure is a forgery.
      return error instanceof JWTExpired || error instanceof JWTClaimValidationFailed
        ? undefined
        : "forged";
    }
  }

  return {
    issue(userId, sessionsFrom, id = newSessionId()) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const recorded = sessionsFrom === undefined ? {} : { [SESSIONS_FROM]: sessionsFrom };
      return new SignJWT({ user_id: userId })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", ...recorded })
        .setJti(id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + SESSION_LIFETIME_SECONDS)
        .sign(key);
    },

    async verify(token) {
      if (!isStrictlyEncoded(token)) return "forged";
      for (const one of keys) {
        const verified = await verifiedBy(one, token);
        if (verified !== "forged") return verified;
      }
      return "forged";
    },
  };
}

/** Imported once: given the secret as bytes, jose would import it for every token. */
function keyOf(secret: string): CryptoKey {
  return createSecretKey(secret, "utf8").toCryptoKey(HMAC_SHA256, false, ["sign", "verify"]);
}

/**
 * Whether the three parts are canonical base64url. jose also accepts padding, white space and stray
 * bits, and so several spellings of one token.
 */
function isStrictlyEncoded(token: string): boolean {
  const parts = token.split(".");
  const recoded = parts.map((part) => Buffer.from(part, "base64url").toString("base64url"));
  return parts.length === 3 && recoded.join(".") === token;
}
