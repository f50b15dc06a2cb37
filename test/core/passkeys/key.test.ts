import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { readCeremony } from "../../../src/core/passkeys/ceremony.ts";
import { isPasskeyKey, isSignedBy } from "../../../src/core/passkeys/key.ts";
import { algorithms, createAuthenticator, PARTY, spkiOf } from "../../support/authenticator.ts";

for (const algorithm of algorithms) {
  test(`${algorithm}: accepts the signature of the key, and no other`, () => {
    const passkey = createAuthenticator(algorithm);
    const answer = passkey.get("challenge", "1");
    const ceremony = readCeremony(answer, "webauthn.get", PARTY);
    assert.ok(ceremony);
    const { signed } = ceremony;
    assert.ok(isPasskeyKey(passkey.publicKey));
    assert.ok(isSignedBy(passkey.publicKey, signed, answer.signature));
    const other = createAuthenticator(algorithm);
    assert.ok(!isSignedBy(other.publicKey, signed, answer.signature), "another key");
    assert.ok(!isSignedBy(passkey.publicKey, Buffer.concat([signed, signed]), answer.signature));
    for (const signature of ["", "AAAA", "A".repeat(96), answer.signature.slice(4)]) {
      assert.ok(!isSignedBy(passkey.publicKey, signed, signature), "another signature");
    }
  });
}

/** Without a private key, which would take seconds to find. */
function rsaKey(bits: number): KeyObject {
  const n = Buffer.alloc(bits / 8, 0xff).toString("base64url");
  return createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
}

test("accepts RSA keys of 2048 to 4096 bits", () => {
  for (const bits of [2_048, 4_096]) assert.ok(isPasskeyKey(spkiOf(rsaKey(bits))));
});

test("refuses keys that browsers do not make, that are too weak, or that cost too much", () => {
  const keys = [
    { publicKey: rsaKey(2_040) },
    { publicKey: rsaKey(4_104) },
    generateKeyPairSync("rsa-pss", { modulusLength: 2048 }),
    generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
    generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
    generateKeyPairSync("x25519"),
    generateKeyPairSync("ed448"),
  ];
  for (const { publicKey } of keys) assert.ok(!isPasskeyKey(spkiOf(publicKey)));
  for (const text of ["", "AAAA", "not a key"]) {
    assert.ok(!isPasskeyKey(text));
    assert.ok(!isSignedBy(text, Buffer.from("data"), "AAAA"));
  }
});
