import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { parseCeremony } from "../../../src/features/passkeys/ceremony.ts";
import { isValidSignature, normalizePublicKey } from "../../../src/features/passkeys/public-key.ts";
import { algorithms, createAuthenticator, PARTY, spkiOf } from "../../support/authenticator.ts";

for (const algorithm of algorithms) {
  test(`${algorithm}: accepts the signature of the key, and no other`, () => {
    const passkey = createAuthenticator(algorithm);
    const answer = passkey.get("challenge", "1");
    const ceremony = parseCeremony(answer, "webauthn.get", PARTY);
    assert.ok(ceremony);
    const { signed } = ceremony;
    assert.equal(normalizePublicKey(passkey.publicKey), passkey.publicKey);
    const bytes = Buffer.from(passkey.publicKey, "base64url");
    for (const same of [
      `${"!é ".repeat(20_000)}${passkey.publicKey}${"=".repeat(9)}`,
      bytes.toString("base64"),
      Buffer.concat([bytes, Buffer.alloc(9_000)]).toString("base64url"),
    ]) {
      const key = normalizePublicKey(same);
      assert.ok(key === undefined || key === passkey.publicKey, "only the key itself");
    }
    assert.ok(isValidSignature(passkey.publicKey, signed, answer.signature));
    const other = createAuthenticator(algorithm);
    assert.ok(!isValidSignature(other.publicKey, signed, answer.signature), "another key");
    assert.ok(
      !isValidSignature(passkey.publicKey, Buffer.concat([signed, signed]), answer.signature),
    );
    for (const signature of ["", "AAAA", "A".repeat(96), answer.signature.slice(4)]) {
      assert.ok(!isValidSignature(passkey.publicKey, signed, signature), "another signature");
    }
  });
}

/** Without a private key, which would take seconds to find. */
function rsaKey(bits: number, e = "AQAB"): KeyObject {
  const n = Buffer.alloc(bits / 8, 0xff).toString("base64url");
  return createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" });
}

test("accepts RSA keys of 2048 to 4096 bits with an exponent of at most 32", () => {
  for (const key of [rsaKey(2_048), rsaKey(4_096), rsaKey(2_048, "_____w")]) {
    const spki = spkiOf(key);
    assert.equal(normalizePublicKey(spki), spki);
  }
});

test("refuses keys that browsers do not make, that are too weak, or that cost too much", () => {
  const keys = [
    { publicKey: rsaKey(2_040) },
    { publicKey: rsaKey(4_104) },
    { publicKey: rsaKey(2_048, Buffer.alloc(200, 0xff).toString("base64url")) },
    { publicKey: rsaKey(2_048, "AQAAAAE") },
    generateKeyPairSync("rsa-pss", { modulusLength: 2048 }),
    generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
    generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
    generateKeyPairSync("x25519"),
    generateKeyPairSync("ed448"),
  ];
  for (const { publicKey } of keys) assert.equal(normalizePublicKey(spkiOf(publicKey)), undefined);
  for (const text of ["", "AAAA", "not a key"]) {
    assert.equal(normalizePublicKey(text), undefined);
    assert.ok(!isValidSignature(text, Buffer.from("data"), "AAAA"));
  }
});
