import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Creates a text for a link, a code or a cookie: 32 random bytes in base64url, which an attacker
 * cannot guess.
 */
export const createRandomText = (): string => randomBytes(32).toString("base64url");

/**
 * Computes what a store keeps of a random text. A random text needs no salt, and a fast hash is
 * enough.
 */
export const digestText = (text: string): string => hash("sha256", text, "base64url");

/** Compares digests of one length, so that the time reveals neither the content nor the length. */
export const isSame = (first: string | Buffer, second: string | Buffer): boolean =>
  timingSafeEqual(hash("sha256", first, "buffer"), hash("sha256", second, "buffer"));
