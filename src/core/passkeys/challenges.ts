import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { derivedKey } from "../base/derived-key.ts";
import type { AnsweredChallenge, UserId } from "../records.ts";

const LIFETIME_MS = 5 * 60_000;
const EXPIRY_BYTES = 6;
const NONCE_BYTES = 16;
const MAC_BYTES = 32;

/**
 * What an answer may be used for: any sign-in, or one more passkey of this user, until all sessions
 * of the user end.
 */
type Purpose = "sign-in" | { readonly addTo: UserId; readonly sessionsFrom?: number | undefined };

/**
 * Challenges are signed, so that the server stores only those that were answered. They are not
 * sealed: any client gets challenges, in any number, and a key with random nonces seals only a
 * limited number of texts safely.
 */
export interface Challenges {
  /** A challenge in base64url, valid for five minutes. */
  issue(purpose: Purpose): string;
  /** Returns `undefined` unless one of the secrets signed it for this purpose and it is valid. */
  verify(challenge: string, purpose: Purpose): Omit<AnsweredChallenge, "userId"> | undefined;
}

/** Signs with the secret, and also accepts challenges signed with a previous one. */
export function createChallenges(
  secrets: readonly [string, ...string[]],
  clock: Pick<Clock, "now">,
): Challenges {
  const [key, ...previous] = secrets.map(keyFrom) as [Buffer, ...Buffer[]];

  return {
    issue(purpose) {
      const body = Buffer.alloc(EXPIRY_BYTES + NONCE_BYTES);
      body.writeUIntBE(clock.now() + LIFETIME_MS, 0, EXPIRY_BYTES);
      randomBytes(NONCE_BYTES).copy(body, EXPIRY_BYTES);
      return Buffer.concat([body, macOf(key, purpose, body)]).toString("base64url");
    },

    verify(challenge, purpose) {
      const bytes = Buffer.from(challenge, "base64url");
      if (bytes.length !== EXPIRY_BYTES + NONCE_BYTES + MAC_BYTES) return undefined;
      const body = bytes.subarray(0, -MAC_BYTES);
      const mac = bytes.subarray(-MAC_BYTES);
      const isSigned = [key, ...previous].some((one) =>
        timingSafeEqual(mac, macOf(one, purpose, body)),
      );
      const expiresAt = body.readUIntBE(0, EXPIRY_BYTES);
      if (!isSigned || expiresAt <= clock.now()) return undefined;
      const id = body.subarray(EXPIRY_BYTES).toString("base64url");
      return { id, expiresAt: new Date(expiresAt) };
    },
  };
}

const keyFrom = (secret: string): Buffer => derivedKey(secret, "latchkey passkey challenges");

function macOf(key: Buffer, purpose: Purpose, body: Buffer): Buffer {
  const label = purpose === "sign-in" ? purpose : labelOf(purpose);
  // The body has a fixed length, so no two labels and bodies make the same text.
  return createHmac("sha256", key).update(label).update(body).digest();
}

const labelOf = ({ addTo, sessionsFrom }: Exclude<Purpose, "sign-in">): string =>
  sessionsFrom === undefined ? `add to ${addTo}` : `add since ${sessionsFrom} to ${addTo}`;
