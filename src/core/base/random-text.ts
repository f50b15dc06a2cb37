import { hash, randomBytes } from "node:crypto";

/** For a link, a code or a cookie: 32 bytes in base64url, which nobody can guess. */
export const randomText = (): string => randomBytes(32).toString("base64url");

/** What a store keeps of such a text. It needs no salt, and a fast hash protects it as well. */
export const hashOf = (text: string): string => hash("sha256", text, "base64url");
