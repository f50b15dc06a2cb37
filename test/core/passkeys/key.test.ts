import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
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

test("refuses keys that browsers do not make, that are too weak, or that cost too much", () => {
  const keys = [
    generateKeyPairSync("rsa", { modulusLength: 1024 }),
    generateKeyPairSync("rsa", { modulusLength: 4104 }),
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
