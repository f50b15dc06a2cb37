import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Uses the values of RFC 6238 that every authenticator app supports: SHA-1, six digits, and a step
 * of 30 seconds.
 */
const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226 recommends as many bits as SHA-1 has. */
const SECRET_BYTES = 20;

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const createCodeSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** Encodes bytes as base32 without padding, as authenticator apps expect it. */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = bits.match(/.{1,5}/g) ?? [];
  return letters.map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

/**
 * Formats the URI that authenticator apps read. Names are shortened so that the QR code stays easy
 * to scan.
 */
export function formatKeyUri(appName: string, username: string, secret: string): string {
  const encodeStart = (text: string, length: number): string =>
    encodeURIComponent(text.slice(0, length).toWellFormed());
  // A colon ends the issuer, even in encoded form.
  const issuer = encodeStart(appName.replaceAll(":", ""), 24);
  return `otpauth://totp/${issuer}:${encodeStart(username, 32)}?secret=${secret}&issuer=${issuer}`;
}

/** Returns the number of the step at this time, in milliseconds since 1970. */
export const getStep = (at: number): number => Math.floor(at / STEP_MS);

export function computeCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/**
 * Finds the step of a code: the current step, or the step before or after it, because a clock can
 * be wrong. Returns `undefined` for other steps, and for steps up to `lastStep`, which are used up.
 */
export function findStep(
  secret: Uint8Array,
  code: string,
  at: number,
  lastStep: number,
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = getStep(at);
  return [now, now - 1, now + 1].find(
    (step) =>
      step > lastStep && timingSafeEqual(Buffer.from(code), Buffer.from(computeCode(secret, step))),
  );
}
