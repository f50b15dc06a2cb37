import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCeremony } from "../../../src/features/passkeys/ceremony.ts";
import { type Ceremony, createAuthenticator, PARTY } from "../../support/authenticator.ts";

const passkey = createAuthenticator();
const used = (ceremony?: Ceremony) =>
  parseCeremony(passkey.get("challenge", "1", ceremony), "webauthn.get", PARTY);
const created = (ceremony?: Ceremony) =>
  parseCeremony(passkey.create("challenge", ceremony), "webauthn.create", PARTY);

test("reads the challenge, the counter and the ID of a created passkey", () => {
  const use = used({ counter: 4_000_000_000 });
  const read = [use?.challenge, use?.counter, use?.created];
  assert.deepEqual(read, ["challenge", 4_000_000_000, undefined]);
  assert.deepEqual([created()?.challenge, created()?.created?.id], ["challenge", passkey.id]);
});

const refused: Readonly<Record<string, Ceremony>> = {
  "another origin": { origin: "https://evil.example" },
  "a subdomain": { origin: "https://app.auth.example.org" },
  "another port": { origin: "https://auth.example.org:444" },
  "plain HTTP": { origin: "http://auth.example.org" },
  "another relying party": { rpId: "example.org" },
  "another type": { type: "payment.get" },
  "an embedding page": { clientData: { crossOrigin: true } },
  "an embedding page, told as text": { clientData: { crossOrigin: "true" } },
  "an embedding page, told as a list": { clientData: { crossOrigin: [true] } },
  "an embedding page, by name": { clientData: { topOrigin: "https://evil.example" } },
  "an authenticator that did not verify the user": { flags: 0x41 },
  "an authenticator without its user": { flags: 0x44 },
  "a passkey that is backed up, although it cannot be": { flags: 0x55 },
  "a challenge that is not a text": { clientData: { challenge: 1 } },
  "an origin that is not a text": { clientData: { origin: ["https://auth.example.org"] } },
};

for (const [what, ceremony] of Object.entries(refused)) {
  test(`refuses ${what}`, () => {
    assert.equal(used(ceremony), undefined);
    assert.equal(created(ceremony), undefined);
  });
}

test("refuses the creation of a passkey as a sign-in, and the reverse", () => {
  assert.equal(parseCeremony(passkey.get("challenge", "1"), "webauthn.create", PARTY), undefined);
  assert.equal(parseCeremony(passkey.create("challenge"), "webauthn.get", PARTY), undefined);
});

test("refuses cut-off data, and client data that is not an object", () => {
  const answer = passkey.create("challenge");
  const data = Buffer.from(answer.authenticatorData, "base64url");
  for (const length of data.keys()) {
    const authenticatorData = data.subarray(0, length).toString("base64url");
    const ceremony = parseCeremony({ ...answer, authenticatorData }, "webauthn.create", PARTY);
    assert.equal(ceremony?.created, undefined, `${length} bytes`);
  }
  for (const text of ["", "null", "1", "[]", "{", '"text"']) {
    const clientData = Buffer.from(text).toString("base64url");
    assert.equal(parseCeremony({ ...answer, clientData }, "webauthn.create", PARTY), undefined);
  }
});
