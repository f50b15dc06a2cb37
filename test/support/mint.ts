import { createHmac } from "node:crypto";
import type { UserId } from "../../src/db/records.ts";
import type { SessionTokens } from "../../src/identity/session-token.ts";
import { SECRET } from "./gate.ts";

export interface Minting {
  readonly secret?: string;
  readonly header?: object;
  readonly hash?: "sha256" | "sha512";
}

/** Creates a session token by hand, like another service with the same secret. */
export function mint(claims: object, minting: Minting = {}): string {
  const { header = { alg: "HS256", typ: "JWT" } } = minting;
  return signed(encoded(header), encoded(claims), minting);
}

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** The same session, from a sign-in of eleven minutes ago. */
export function inThePast(token: string): string {
  const { claims } = partsOf(token);
  return mint({ ...claims, iat: inSeconds(-660) });
}

/** The header and claims of a token, without verifying its signature. */
export function partsOf(token: string): {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
} {
  const [header = "", claims = ""] = token.split(".");
  return { header: decoded(header), claims: decoded(claims) };
}

/** A part of a token. */
export const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token of these parts, as they are. */
export function signed(
  header: string,
  claims: string,
  { secret = SECRET, hash = "sha256" }: Minting = {},
): string {
  const text = `${header}.${claims}`;
  return `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;
}

function decoded(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
}

/** The user ID of a token that the service accepts. */
export function userIdIn(tokens: SessionTokens, token: string): UserId | undefined {
  const verified = tokens.verify(token);
  return typeof verified === "object" ? verified.userId : undefined;
}
