import { createHmac, createPublicKey, createSign, generateKeyPairSync } from "node:crypto";
import { type Forgery, partsOf, tokensWithoutSecret } from "./tokens.ts";

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token that claims to need no signature. */
export const unsigned = (claims: object, alg = "none"): string =>
  `${encoded({ alg, typ: "JWT" })}.${encoded(claims)}.`;

/**
 * Forgeries of an ID token that need only the token and the public keys of the server.
 *
 * @param keys the keys of the server as JWK
 * @param secret the client's own secret, which other apps do not know
 */
export function forgedIdTokens(
  token: string,
  keys: readonly Readonly<Record<string, unknown>>[],
  secret: string,
): readonly Forgery[] {
  const parts = partsOf(token);
  if (parts === undefined) return [];
  const { header, payload, signature } = parts;
  const withHmac = (
    key: Parameters<typeof createHmac>[1],
    alg = "HS256",
    kid?: unknown,
  ): string => {
    const text = `${encoded({ alg, typ: "JWT", ...(kid !== undefined && { kid }) })}.${parts.claims}`;
    return `${text}.${createHmac(`sha${alg.slice(2)}`, key)
      .update(text)
      .digest("base64url")}`;
  };
  const fromKeys = keys.flatMap((key): Forgery[] => {
    const texts: (readonly [string, string | Buffer])[] = [
      ["as JSON", JSON.stringify(key)],
      ["its modulus", String(key.n ?? key.x)],
      ["its decoded modulus", Buffer.from(String(key.n ?? key.x), "base64url")],
    ];
    try {
      const object = createPublicKey({ key, format: "jwk" });
      const pem = object.export({ type: "spki", format: "pem" });
      texts.push(["as PEM", pem], ["as PEM without the last line break", String(pem).trim()]);
      texts.push(["as DER", object.export({ type: "spki", format: "der" })]);
      if (key.kty === "RSA") {
        texts.push(["as PKCS #1", object.export({ type: "pkcs1", format: "pem" })]);
      }
    } catch {
      // A key that Node.js does not know.
    }
    return texts.flatMap(([how, text]): Forgery[] => [
      [`HS256 with the public key ${how}`, withHmac(text)],
      [`HS256 with the public key ${how} and its ID`, withHmac(text, "HS256", key.kid)],
    ]);
  });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signedWith = (own: object, claims: object = payload): string => {
    const text = `${encoded({ alg: "RS256", ...own })}.${encoded(claims)}`;
    return `${text}.${createSign("sha256").update(text).sign(privateKey).toString("base64url")}`;
  };
  const kids = keys.map(({ kid }) => kid);
  return [
    ...tokensWithoutSecret(parts),
    ...fromKeys,
    ...["HS256", "HS384", "HS512"].map(
      (alg): Forgery => [`${alg} with the secret of the client`, withHmac(secret, alg)],
    ),
    ["HS256 with an empty key and the ID of a key", withHmac("", "HS256", kids[0])],
    ["another key under the ID of a key", signedWith({ kid: kids[0] })],
    ["another key in the header", signedWith({ jwk: publicKey.export({ format: "jwk" }) })],
    ["an unknown ID of a key", signedWith({ kid: "../../dev/null" })],
    [
      "another issuer under a signature",
      `${header}.${encoded({ ...payload, iss: "x" })}.${signature}`,
    ],
    ["no audience under a signature", `${header}.${encoded({ ...payload, aud: [] })}.${signature}`],
  ];
}
