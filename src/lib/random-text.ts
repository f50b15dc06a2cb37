import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** For a link, a code or a cookie: 32 bytes in base64url, which nobody can guess. */
export const createRandomText = (): string => randomBytes(32).toString("base64url");

/** What a store keeps of such a text. It needs no salt, and a fast hash protects it as well. */
export const digestText = (text: string): string => hash("sha256", text, "base64url");

/** Compares digests, which have one length, so the time reveals neither content nor length. */
export const isSame = (first: string | Buffer, second: string | Buffer): boolean =>
  timingSafeEqual(hash("sha256", first, "buffer"), hash("sha256", second, "buffer"));
