import { createSecretKey, randomBytes } from "node:crypto";
// By their own paths: the whole of jose takes 2 MB more.
import { SignJWT } from "jose/jwt/sign";
import { jwtVerify } from "jose/jwt/verify";
import type { Clock } from "./clock.ts";
import type { UserId } from "./store.ts";

/** Thirty days, for the token and for the cookie that carries it. */
export const SESSION_LIFETIME_SECONDS = 2_592_000;

/**
 * Signs tokens where no secret was given. Everybody can read it here, so everybody can forge a
 * session with it: good for trying things out, and the gate refuses it in production.
 */
export const DEVELOPMENT_SECRET = "latchkey development secret: everybody knows it";

const ALGORITHM = "HS256";
/** A header parameter, which other readers of the token ignore, and not a further claim. */
const SESSIONS_FROM = "sessions_from";
const HMAC_SHA256 = { name: "HMAC", hash: "SHA-256" };

export interface VerifiedToken {
  readonly userId: UserId;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** In seconds since 1970; 0 where the token does not say. */
  readonly issuedAt: number;
  /** The user's `sessionsFrom` at the time of the sign-in; 0 where the token does not say. */
  readonly sessionsFrom: number;
}

export interface SessionTokens {
  /** @param sessionsFrom That of the user, where it has one: the token records it. */
  issue(userId: UserId, sessionsFrom?: number): Promise<string>;
  /** What a genuine, unexpired token carries; for any other text `undefined`. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

/**
 * New tokens are signed with the secret; those that one of the previous secrets has signed are
 * genuine as well.
 */
export function createSessionTokens(
  secret: string,
  clock: Pick<Clock, "now">,
  previousSecrets: readonly string[] = [],
): SessionTokens {
  const key = keyOf(secret);
  const keys = [key, ...previousSecrets.map(keyOf)];

  async function verifiedBy(one: CryptoKey, token: string): Promise<VerifiedToken | undefined> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, one, {
        algorithms: [ALGORITHM],
        requiredClaims: ["exp"],
        currentDate: new Date(clock.now()),
      });
      const { user_id: userId, exp, iat = 0 } = payload;
      if (typeof userId !== "string" || userId === "") return undefined;
      // JSON has no infinity, but 1e999 is read as one: a session without an end.
      if (exp === undefined || !Number.isFinite(exp) || !Number.isFinite(iat)) return undefined;
      const from = protectedHeader[SESSIONS_FROM];
      const sessionsFrom = typeof from === "number" ? from : 0;
      return { userId: userId as UserId, expiresAt: exp * 1000, issuedAt: iat, sessionsFrom };
    } catch {
      // Whatever is wrong with it, a token that cannot be verified is no session.
      return undefined;
    }
  }

  return {
    issue(userId, sessionsFrom) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const recorded = sessionsFrom === undefined ? {} : { [SESSIONS_FROM]: sessionsFrom };
      return new SignJWT({ user_id: userId })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", ...recorded })
        .setJti(randomBytes(16).toString("hex"))
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + SESSION_LIFETIME_SECONDS)
        .sign(key);
    },

    async verify(token) {
      if (!isStrictlyEncoded(token)) return undefined;
      for (const one of keys) {
        const verified = await verifiedBy(one, token);
        if (verified !== undefined) return verified;
      }
      return undefined;
    },
  };
}

/** Made once: given the secret as bytes, jose would import it again for every token. */
function keyOf(secret: string): CryptoKey {
  return createSecretKey(secret, "utf8").toCryptoKey(HMAC_SHA256, false, ["sign", "verify"]);
}

/**
 * Whether the three parts are spelt in the one way that base64url has for their bytes. jose also
 * reads padding, white space and stray bits, and so several spellings of one token.
 */
function isStrictlyEncoded(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => part === recoded(part));
}

function recoded(part: string): string {
  return Buffer.from(part, "base64url").toString("base64url");
}
