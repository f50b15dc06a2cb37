import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { deriveKey } from "../lib/derive-key.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts data that only this installation may read, with a key derived from the signing secret.
 */
export interface Seals {
  /**
   * @param purpose The kind of the content and its owner. The sealed text opens for the same
   * purpose only.
   */
  seal(content: Uint8Array, purpose: string): string;
  /** Returns `undefined` for a text that none of the secrets has sealed for this purpose. */
  open(sealed: string, purpose: string): Buffer | undefined;
}

/** Creates seals that use the secret, and that also open what a previous secret has sealed. */
export function createSeals(secret: string, previousSecrets: readonly string[] = []): Seals {
  const key = deriveSealKey(secret);
  const keys = [key, ...previousSecrets.map(deriveSealKey)];
  return {
    seal(content, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },

    open(text, purpose) {
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const opened = keys.map((candidate) => decrypt(candidate, bytes, purpose));
      return opened.find((content) => content !== undefined);
    },
  };
}

const deriveSealKey = (secret: string): Buffer => deriveKey(secret, "latchkey seals");

function decrypt(key: Buffer, bytes: Buffer, purpose: string): Buffer | undefined {
  const tagFrom = NONCE_BYTES;
  const contentFrom = NONCE_BYTES + TAG_BYTES;
  const nonce = bytes.subarray(0, tagFrom);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(tagFrom, contentFrom));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(contentFrom)), decipher.final()]);
  } catch {
    return undefined;
  }
}
