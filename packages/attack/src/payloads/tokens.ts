import { createHmac, createSign, generateKeyPairSync } from "node:crypto";

/** A forged token, and what is wrong with it. */
export type Forgery = readonly [what: string, token: string];

export interface Signing {
  readonly header?: unknown;
  readonly hash?: string;
  readonly secret: string;
}

/** A signed token. */
export function signed(claims: unknown, { header = HS256, hash, secret }: Signing): string {
  return signedText(`${encoded(header)}.${encoded(claims)}`, secret, hash);
}

const HS256 = { alg: "HS256", typ: "JWT" };

const signedText = (text: string, secret: string, hash = "sha256"): string =>
  `${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

export interface Parts {
  readonly header: string;
  readonly claims: string;
  readonly signature: string;
  /** The decoded claims. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export function partsOf(token: string): Parts | undefined {
  const [header = "", claims = "", signature = ""] = token.split(".");
  try {
    const payload: unknown = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    return typeof payload === "object" && payload !== null
      ? { header, claims, signature, payload: { ...payload } }
      : undefined;
  } catch {
    return undefined;
  }
}

const ATTACKER_SECRET = "an attacker's own secret";
const noneSpellings = ["none", "None", "NONE", "nOnE", "none ", ""];
const otherHashes = { HS384: "sha384", HS512: "sha512" };
const publicKeys = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"];

/** Forgeries that need only a valid token of the attacker's own account. */
export function tokensWithoutSecret({
  header,
  claims,
  signature,
  payload,
}: Parts): readonly Forgery[] {
  const jwk = { kty: "oct", k: Buffer.from(ATTACKER_SECRET).toString("base64url") };
  const signedByAttacker = (own: object): string =>
    signed(payload, { header: { ...HS256, ...own }, secret: ATTACKER_SECRET });
  const keySources: Readonly<Record<string, object>> = {
    "the attacker's key in jwk": { jwk },
    jku: { jku: "http://127.0.0.1:9/keys" },
    x5u: { x5u: "http://127.0.0.1:9/certificate" },
    x5c: { x5c: ["MIIB"] },
    "a kid that is a path": { kid: "../../../../dev/null" },
    "a kid with SQL": { kid: "x' UNION SELECT 'secret" },
    crit: { crit: ["exp"] },
  };
  return [
    ...noneSpellings.flatMap((alg): readonly Forgery[] => [
      [`alg "${alg}" without a signature`, `${encoded({ alg, typ: "JWT" })}.${claims}.`],
      [`alg "${alg}" with a foreign signature`, `${encoded({ alg })}.${claims}.${signature}`],
    ]),
    ["no header", `.${claims}.${signature}`],
    ["no signature", `${header}.${claims}`],
    ["an empty signature", `${header}.${claims}.`],
    ["a signature of zeros", `${header}.${claims}.${"A".repeat(43)}`],
    ["a truncated signature", `${header}.${claims}.${signature.slice(0, 8)}`],
    [
      "a signature under other claims",
      `${header}.${encoded({ ...payload, exp: 4e9 })}.${signature}`,
    ],
    [
      "another user under a valid signature",
      `${header}.${encoded({ ...payload, user_id: "1" })}.${signature}`,
    ],
    ["an empty secret", signedText(`${header}.${claims}`, "")],
    ["another secret", signedByAttacker({})],
    ...Object.entries(otherHashes).map(
      ([alg, hash]): Forgery => [
        `alg ${alg} with another secret`,
        signed(payload, { header: { alg }, hash, secret: ATTACKER_SECRET }),
      ],
    ),
    ...publicKeys.map((alg): Forgery => [`alg ${alg}`, signedByAttacker({ alg })]),
    ["RS256 with the attacker's key in jwk", withRsa(claims)],
    ...Object.entries(keySources).map(([what, own]): Forgery => [what, signedByAttacker(own)]),
  ];
}

function withRsa(claims: string): string {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const header = { alg: "RS256", jwk: publicKey.export({ format: "jwk" }) };
  const text = `${encoded(header)}.${claims}`;
  return `${text}.${createSign("sha256").update(text).sign(privateKey).toString("base64url")}`;
}

/** Malformed variants of a valid token. */
export function malformedTokens(token: string): readonly Forgery[] {
  const { header, claims, signature } = partsOf(token) ?? { header: "", claims: "", signature: "" };
  return [
    ["an extra part", `${token}.${signature}`],
    ["an extra part in front", `.${token}`],
    ["five parts", `${token}.${claims}.${signature}`],
    ["padding", `${token}=`],
    ["padded claims", `${header}.${claims}=.${signature}`],
    ["an encoded newline at the end", `${token}%0A`],
    ["the token percent-encoded", token.replaceAll(".", "%2E")],
    ["a space inside", `${header}. ${claims}.${signature}`],
    ["bytes after the token", `${token}AAAA`],
    ["dots only", ".."],
    ["a very long token", `${header}.${"A".repeat(6_000)}.${signature}`],
    ["Bearer before the token", `Bearer ${token}`],
    ["the token in an array", `["${token}"]`],
  ];
}

/** Tokens signed with the right secret whose claims or header must be rejected all the same. */
export function tokensWithWrongClaims(
  payload: Parts["payload"],
  secret: string,
): readonly Forgery[] {
  const now = Math.floor(Date.now() / 1000);
  const { exp: _, user_id: id, ...rest } = payload;
  const withExp = (exp: unknown): unknown => ({ ...payload, exp });
  const withId = (user_id: unknown): unknown => ({ ...payload, user_id });
  const raw = (text: string): string => JSON.stringify(payload).replace(/"exp":\d+/, text);
  const cases: Readonly<Record<string, unknown>> = {
    "no exp": { ...rest, user_id: id },
    "exp as a string": withExp(String(now + 600)),
    "exp as null": withExp(null),
    "exp as an array": withExp([now + 600]),
    "exp as true": withExp(true),
    "exp NaN": raw('"exp":NaN'),
    "exp 1e999": raw('"exp":1e999'),
    "exp 0": withExp(0),
    "exp in the past": withExp(now - 1),
    "exp negative": withExp(-1),
    "exp twice, the last one in the past": raw(`"exp":${now + 600},"exp":1`),
    "nbf in the future": { ...payload, nbf: now + 3_600 },
    "no user_id": { ...rest, exp: now + 600 },
    "an empty user_id": withId(""),
    "user_id as a number": withId(1),
    "user_id as an array": withId([id]),
    "user_id as an object": withId({ $ne: "" }),
    "user_id as true": withId(true),
    "user_id null": withId(null),
    "an unknown user_id": withId("00000000-0000-4000-8000-000000000000"),
    "a user_id in capitals": withId(`${String(id)}`.toUpperCase()),
    "a user_id with a wildcard": withId("%"),
    "a user_id with a space": withId(`${String(id)} `),
    "user_id twice, the last one unknown": `${JSON.stringify(payload).slice(0, -1)},"user_id":"nobody"}`,
    "claims that are an array": [payload],
    "claims that are a string": String(id),
  };
  const headers: Readonly<Record<string, unknown>> = {
    "alg none over a valid signature": { alg: "none" },
    "alg in lower case": { alg: "hs256" },
    "alg as an array": { alg: ["HS256"] },
    "no alg": { typ: "JWT" },
    "RS256 with the secret as key": { alg: "RS256" },
    "an unknown crit": { ...HS256, crit: ["latchkey"], latchkey: true },
    "an empty crit": { ...HS256, crit: [] },
    "b64 false": { ...HS256, b64: false, crit: ["b64"] },
    "a header that is an array": [HS256],
  };
  return [
    ...Object.entries(cases).map(([what, claims]): Forgery => [what, signed(claims, { secret })]),
    ...Object.entries(headers).map(
      ([what, header]): Forgery => [what, signed(payload, { header, secret })],
    ),
    [
      "HS512 with the secret",
      signed(payload, { header: { alg: "HS512" }, hash: "sha512", secret }),
    ],
    [
      "HS384 with the secret",
      signed(payload, { header: { alg: "HS384" }, hash: "sha384", secret }),
    ],
  ];
}
