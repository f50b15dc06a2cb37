import { hkdfSync } from "node:crypto";

const KEY_BYTES = 32;

/**
 * Derives a key for one purpose. The key reveals neither the secret nor the key for another
 * purpose.
 */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
