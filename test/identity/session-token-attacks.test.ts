import assert from "node:assert/strict";
import { createSign, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { createSessionTokens } from "../../src/identity/session-token.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SECRET } from "../support/gate.ts";
import { encoded, mint, signed, userIdIn } from "../support/mint.ts";

const NOW = Math.floor(fakeClock().now() / 1_000);
const CLAIMS = { user_id: "user-1", exp: NOW + 3_600 };
const GENUINE = mint(CLAIMS);
const [HEAD = "", BODY = "", SIGNATURE = ""] = GENUINE.split(".");

const withHeader = (header: object): string => mint(CLAIMS, { header });
const withClaims = (claims: object): string => mint({ ...CLAIMS, ...claims });
const without = (claim: keyof typeof CLAIMS): string => mint({ ...CLAIMS, [claim]: undefined });

function signedWithRsa(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const text = `${encoded({ alg: "RS256", typ: "JWT" })}.${BODY}`;
  return `${text}.${createSign("sha256").update(text).sign(privateKey).toString("base64url")}`;
}

const algorithms: Readonly<Record<string, string>> = {
  "alg none without a signature": `${encoded({ alg: "none" })}.${BODY}.`,
  "alg None without a signature": `${encoded({ alg: "None" })}.${BODY}.`,
  "alg NONE without a signature": `${encoded({ alg: "NONE" })}.${BODY}.`,
  "alg none with a good HMAC": withHeader({ alg: "none" }),
  "alg HS384": mint(CLAIMS, { header: { alg: "HS384" } }),
  "alg HS512, signed so": mint(CLAIMS, { header: { alg: "HS512" }, hash: "sha512" }),
  "alg HS256, signed with SHA-512": mint(CLAIMS, { hash: "sha512" }),
  "alg RS256 with the secret as the key": withHeader({ alg: "RS256" }),
  "alg RS256 with a key of the attacker's": signedWithRsa(),
  "alg in lower case": withHeader({ alg: "hs256" }),
  "alg as a list": withHeader({ alg: ["HS256"] }),
  "no alg": withHeader({ typ: "JWT" }),
};

const jwk = { kty: "oct", k: Buffer.from("attacker").toString("base64url") };
const byAttacker = (header: object): string => mint(CLAIMS, { header, secret: "attacker" });

const headers: Readonly<Record<string, string>> = {
  "a key in the header": byAttacker({ alg: "HS256", jwk }),
  "an address of keys in the header": byAttacker({ alg: "HS256", jku: "http://127.0.0.1/keys" }),
  "a kid that names a file": byAttacker({ alg: "HS256", kid: "/proc/self/comm" }),
  "a kid that would be SQL": byAttacker({ alg: "HS256", kid: "x' UNION SELECT 'attacker" }),
  "an empty secret": mint(CLAIMS, { secret: "" }),
  "crit with an unknown name": withHeader({ alg: "HS256", crit: ["exp"], exp: 1 }),
  "crit that is empty": withHeader({ alg: "HS256", crit: [] }),
  "b64 false, named in crit": signed(
    encoded({ alg: "HS256", b64: false, crit: ["b64"] }),
    JSON.stringify(CLAIMS).replaceAll(".", ""),
  ),
  "b64 false over encoded claims": withHeader({ alg: "HS256", b64: false, crit: ["b64"] }),
  "a header that is not an object": signed(encoded(["HS256"]), BODY),
  "a header that is not JSON": signed(Buffer.from("HS256").toString("base64url"), BODY),
};

/** Claims that no JavaScript value is written as. */
function signedText(text: string): string {
  return signed(HEAD, Buffer.from(text).toString("base64url"));
}

const shapes: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "one part": HEAD,
  "two parts": `${HEAD}.${BODY}`,
  "an empty signature": `${HEAD}.${BODY}.`,
  "four parts": `${GENUINE}.${SIGNATURE}`,
  "five parts": `${GENUINE}.${BODY}.${SIGNATURE}`,
  "dots only": "..",
  "a part more in front": `.${GENUINE}`,
  "another user's claims under a genuine signature": `${HEAD}.${encoded({ ...CLAIMS, user_id: "user-2" })}.${SIGNATURE}`,
  "a cut signature": GENUINE.slice(0, -4),
  "bytes after the signature": `${GENUINE}AAAA`,
  "padding after the signature": `${GENUINE}=`,
  "much padding after the signature": `${GENUINE}====`,
  "padding after the claims": `${HEAD}.${BODY}=.${SIGNATURE}`,
  "padded claims, signed so": signed(HEAD, Buffer.from(JSON.stringify(CLAIMS)).toString("base64")),
  "a space in front": ` ${GENUINE}`,
  "a space at the end": `${GENUINE} `,
  "a newline at the end": `${GENUINE}\n`,
  "a space within the signature": `${HEAD}.${BODY}.${SIGNATURE.slice(0, 9)} ${SIGNATURE.slice(9)}`,
  "a NUL at the end": `${GENUINE}\0`,
  "claims that are not an object": signed(HEAD, encoded("user-1")),
  "claims that are a list": signed(HEAD, encoded([CLAIMS])),
  "claims that are null": signed(HEAD, encoded(null)),
  "claims that are not JSON": signed(HEAD, Buffer.from("user-1").toString("base64url")),
};

const claims: Readonly<Record<string, string>> = {
  "no exp": without("exp"),
  "an exp that is text": withClaims({ exp: String(CLAIMS.exp) }),
  "an exp that is null": withClaims({ exp: null }),
  "an exp that is true": withClaims({ exp: true }),
  "an exp that is a list": withClaims({ exp: [CLAIMS.exp] }),
  "an exp in the past": withClaims({ exp: NOW - 1 }),
  "an exp that is now": withClaims({ exp: NOW }),
  "an exp of 0": withClaims({ exp: 0 }),
  "a negative exp": withClaims({ exp: -1 }),
  "an exp that is read as infinity": signedText(`{"user_id":"user-1","exp":1e999}`),
  "an exp that is infinite in milliseconds": signedText(`{"user_id":"user-1","exp":1.7e308}`),
  "an iat that is read as infinity": signedText(
    `{"user_id":"user-1","exp":${CLAIMS.exp},"iat":1e999}`,
  ),
  "an nbf in the future": withClaims({ nbf: NOW + 1 }),
  "an nbf that is text": withClaims({ nbf: "0" }),
  "no user_id": without("user_id"),
  "an empty user_id": withClaims({ user_id: "" }),
  "a user_id that is a number": withClaims({ user_id: 1 }),
  "a user_id that is a list": withClaims({ user_id: ["user-1"] }),
  "a user_id that is an object": withClaims({ user_id: { toString: "user-1" } }),
  "a user_id that is null": withClaims({ user_id: null }),
  "a user_id that is true": withClaims({ user_id: true }),
};

const tokens = createSessionTokens(SECRET, fakeClock());

test("accepts the token from which the others are made, from its nbf on", () => {
  assert.equal(userIdIn(tokens, GENUINE), "user-1");
  assert.equal(userIdIn(tokens, withClaims({ nbf: NOW })), "user-1");
});

for (const [what, token] of Object.entries({ ...algorithms, ...headers, ...shapes })) {
  test(`rejects ${what} as forged`, () => {
    assert.equal(tokens.verify(token), "forged");
  });
}

for (const [what, token] of Object.entries(claims)) {
  test(`rejects a signed token with ${what}, but not as forged`, () => {
    assert.equal(tokens.verify(token), undefined);
  });
}

test("rejects a genuine token with one character changed, added or removed", () => {
  const change = fc.record({
    at: fc.nat(GENUINE.length - 1),
    leaveOut: fc.constantFrom(0, 1),
    putIn: fc.oneof(
      fc.constantFrom("", "A", "z", "0", "-", "_", ".", "\t", "+", "/", "=", " ", "\n", "\0", "é"),
      fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(change, ({ at, leaveOut, putIn }) => {
      const changed = `${GENUINE.slice(0, at)}${putIn}${GENUINE.slice(at + leaveOut)}`;
      fc.pre(changed !== GENUINE);
      assert.equal(tokens.verify(changed), "forged", JSON.stringify(changed));
    }),
    { numRuns: 2_000 },
  );
});

test("accepts only one last character of the signature, although others decode to the same bytes", () => {
  // 32 bytes are 43 characters, and the last of them holds two bits that no byte needs.
  const lasts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const accepted: string[] = [];
  for (const last of lasts) {
    const changed = `${GENUINE.slice(0, -1)}${last}`;
    if (tokens.verify(changed) !== "forged") accepted.push(last);
  }
  assert.deepEqual(accepted, [GENUINE.at(-1)]);
});
