import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** People and secret scanners recognise an API key by this prefix. */
const PREFIX = "latchkey_";
const SECRET_BYTES = 32;

/**
 * Creates the text of a new API key: 32 random bytes and their checksum, 48 characters in
 * base64url.
 */
export function createKeyText(): string {
  const secret = randomBytes(SECRET_BYTES);
  return `${PREFIX}${Buffer.concat([secret, computeChecksum(secret)]).toString("base64url")}`;
}

/**
 * Returns whether the API key was typed or copied completely. Anyone can create a text that passes
 * this check.
 */
export function isCompleteKey(text: string): boolean {
  const bytes = Buffer.from(text.slice(PREFIX.length), "base64url");
  // Node also decodes other spellings of the same bytes.
  if (`${PREFIX}${bytes.toString("base64url")}` !== text) return false;
  return computeChecksum(bytes.subarray(0, SECRET_BYTES)).equals(bytes.subarray(SECRET_BYTES));
}

function computeChecksum(secret: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(secret));
  return checksum;
}

/**
 * Finds the text of an API key in an Authorization header: a Bearer token, or the password of
 * Basic.
 */
export function findKeyText(authorization: string): string | undefined {
  const [, scheme = "", credentials = ""] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? [];
  const text = scheme.toLowerCase() === "basic" ? parseBasicPassword(credentials) : credentials;
  return text.startsWith(PREFIX) ? text : undefined;
}

function parseBasicPassword(credentials: string): string {
  const text = Buffer.from(credentials, "base64").toString();
  return text.slice(text.indexOf(":") + 1);
}
