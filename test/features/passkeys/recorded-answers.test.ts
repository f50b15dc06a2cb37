import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { readAuthenticatorData } from "../../../src/features/passkeys/attestation.ts";
import { parseCeremony } from "../../../src/features/passkeys/ceremony.ts";
import { isValidSignature } from "../../../src/features/passkeys/public-key.ts";
import { attestationOf } from "../../support/authenticator.ts";
import { bytesOf, otherwiseAdded, otherwiseSignedIn } from "./other-implementation.ts";
import recorded from "./recorded-answers.json" with { type: "json" };

// Answers of real devices, from the test material of SimpleWebAuthn (MIT licence): security keys,
// Windows Hello, Android, and Apple. Some of them have not verified their user.

function expectationOf({ clientData, rpId }: { clientData: string; rpId: string }) {
  const { origin, challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString());
  return {
    party: { id: rpId, origins: [origin] },
    others: { expectedOrigin: origin, expectedRPID: rpId, expectedChallenge: challenge },
  };
}

/** As a browser returns the key that an authenticator writes in COSE. */
function spkiOf(cose: Uint8Array<ArrayBuffer>): string {
  const fields = isoCBOR.decodeFirst<Map<number, number | Uint8Array>>(cose);
  const text = (label: number) =>
    Buffer.from(fields.get(label) as Uint8Array).toString("base64url");
  const isRsa = fields.get(1) === 3;
  const key = isRsa
    ? { kty: "RSA", n: text(-1), e: text(-2) }
    : { kty: "EC", crv: "P-256", x: text(-2), y: text(-3) };
  const spki = createPublicKey({ key, format: "jwk" }).export({ format: "der", type: "spki" });
  return spki.toString("base64url");
}

test("reads the passkeys of real devices as another implementation does", async () => {
  let read = 0;
  for (const answer of recorded.registrations) {
    const { party, others } = expectationOf(answer);
    const expected = await otherwiseAdded(answer, others);
    const ceremony = parseCeremony(answer, "webauthn.create", party);
    assert.equal(ceremony?.created?.id, expected?.id, answer.made);
    assert.equal(ceremony?.counter, expected?.counter);
    if (expected === undefined) continue;
    assert.equal(ceremony?.created?.publicKey, spkiOf(expected.publicKey), answer.made);
    const attestation = attestationOf(bytesOf(answer.authenticatorData));
    const data = readAuthenticatorData(attestation)?.toString("base64url");
    assert.equal(data, answer.authenticatorData);
    read += 1;
  }
  assert.ok(read >= 8, `${read} were read`);
});

test("verifies the signatures of real devices as another implementation does", async () => {
  let signedIn = 0;
  for (const answer of recorded.signIns) {
    const { party, others } = expectationOf(answer);
    const stored = { publicKey: bytesOf(answer.publicKey), counter: 0 };
    const ceremony = parseCeremony(answer, "webauthn.get", party);
    const key = spkiOf(stored.publicKey);
    const isAccepted =
      ceremony !== undefined && isValidSignature(key, ceremony.signed, answer.signature);
    assert.equal(isAccepted, await otherwiseSignedIn(answer, others, stored));
    if (isAccepted) signedIn += 1;
  }
  assert.ok(signedIn > 0, "none was accepted");
});
