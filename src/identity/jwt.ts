import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { parseJsonObject } from "../lib/json.ts";
import { isSame } from "../lib/random-text.ts";

const ALGORITHM = "HS256";

type Fields = Readonly<Record<string, unknown>>;

export interface Jwt {
  readonly header: Fields;
  readonly claims: Fields;
}

export const createJwtKey = (secret: string): KeyObject => createSecretKey(secret, "utf8");

export function signJwt({ header, claims }: Jwt, key: KeyObject): string {
  const text = `${encodeJwtPart({ alg: ALGORITHM, typ: "JWT", ...header })}.${encodeJwtPart(claims)}`;
  return `${text}.${computeSignature(text, key).toString("base64url")}`;
}

/**
 * Returns the content of a token that one of the keys has signed, and `undefined` for any other
 * text. The algorithm is fixed, and no part of the token is interpreted before its signature is
 * verified.
 */
export function parseJwt(token: string, keys: readonly KeyObject[]): Jwt | undefined {
  const parts = token.split(".");
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  const [headerPart = "", claimsPart = "", signature = ""] = parts;
  const sentSignature = Buffer.from(signature, "base64url");
  const text = `${headerPart}.${claimsPart}`;
  if (!keys.some((key) => isSame(computeSignature(text, key), sentSignature))) return undefined;
  const header = decodeJwtPart(headerPart);
  const claims = decodeJwtPart(claimsPart);
  // `crit` names extensions that a reader must understand, and this reader supports none.
  if (header?.alg !== ALGORITHM || "crit" in header || claims === undefined) return undefined;
  return { header, claims };
}

const computeSignature = (text: string, key: KeyObject): Buffer =>
  createHmac("sha256", key).update(text).digest();

/** Encodes one part of a token as JSON in base64url. */
export const encodeJwtPart = (fields: object): string =>
  Buffer.from(JSON.stringify(fields)).toString("base64url");

/**
 * Returns whether a part has its only valid spelling. Node also decodes padding, white space and
 * stray bits, so one token would have many spellings.
 */
const isCanonical = (part: string): boolean =>
  Buffer.from(part, "base64url").toString("base64url") === part;

const decodeJwtPart = (part: string): Fields | undefined =>
  parseJsonObject(Buffer.from(part, "base64url").toString());
