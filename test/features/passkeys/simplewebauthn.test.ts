import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { CeremonyResponse } from "../../../src/features/passkeys/ceremony.ts";
import { addPasskey } from "../../../src/features/passkeys/manage-passkeys.ts";
import {
  type PasskeyResponse,
  signInWithPasskey,
} from "../../../src/features/passkeys/sign-in-with-passkey.ts";
import * as authenticators from "../../support/authenticator.ts";
import { otherwiseAdded, otherwiseSignedIn } from "./other-implementation.ts";
import { FROM, type Owner, ownerWithoutPasskey } from "./passkey-services.ts";

const { createAuthenticator, ORIGIN, PARTY, RP_ID } = authenticators;
type Authenticator = authenticators.Authenticator;

const coseKey = ({ publicKey }: Authenticator): Uint8Array<ArrayBuffer> => {
  const key = Buffer.from(publicKey, "base64url");
  const parsed = createPublicKey({ key, format: "der", type: "spki" });
  return Uint8Array.from(authenticators.coseKey(parsed));
};

const expecting = (expectedChallenge: string) =>
  ({ expectedOrigin: ORIGIN, expectedRPID: RP_ID, expectedChallenge }) as const;

const usually = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

const USER_PRESENT = 0x01;
const CREDENTIAL_INCLUDED = 0x40;
const COUNTERS = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const NOTHING: Readonly<Record<string, unknown>> = {};
const ceremonies = fc.record({
  origin: usually(ORIGIN, `${ORIGIN}/`, `${ORIGIN}:443`, "http://auth.example.org", "null", ""),
  rpId: usually(RP_ID, "example.org", "AUTH.example.org", ""),
  // Present, verified, bits that mean nothing yet, and backed up, which is not always possible.
  flags: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0x05, 0x0d, 0x1d) },
    fc.constantFrom(0x00, USER_PRESENT, 0x04, 0x0c, 0x02, 0x25, 0x1f, 0x15),
  ),
  counter: fc.constantFrom(...COUNTERS),
  clientData: usually<typeof NOTHING>(
    NOTHING,
    ...[{ challenge: "AAAA" }, { challenge: 1 }, { challenge: null }, { origin: [ORIGIN] }],
    ...[{ type: "payment.get" }, { type: ["webauthn.get"] }, { type: null }, { extra: [1] }],
    ...[{ crossOrigin: true }, { topOrigin: ORIGIN }, { crossOrigin: true, topOrigin: "x" }],
  ),
});

/** The other one lets a page of another site embed the sign-in, unless the browser names the site. */
function isEmbedded({ clientData }: CeremonyResponse): boolean {
  try {
    const said = JSON.parse(Buffer.from(clientData, "base64url").toString());
    return said.crossOrigin === true || said.topOrigin !== undefined;
  } catch {
    return false;
  }
}

const FLAGS_AT = 32;
/** Flips a bit of a byte in base64url, or cuts it off there. Keeps the flags, which `flags` bends. */
const damage = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  fc.tuple(fc.nat(), fc.nat(7), fc.boolean()),
);
type Damage = typeof damage extends fc.Arbitrary<infer One> ? One : never;
function damaged(text: string, one: Damage, limit = Number.POSITIVE_INFINITY): string {
  const bytes = Buffer.from(text, "base64url");
  if (one === undefined) return text;
  const [where, bit, isCut] = one;
  const at = where % Math.min(bytes.length, limit);
  if (isCut) return bytes.subarray(0, at).toString("base64url");
  if (at !== FLAGS_AT) bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
  return bytes.toString("base64url");
}

/** An answer that is bent in any field. */
const bent = fc.record({
  algorithm: fc.constantFrom("ES256" as const, "EdDSA" as const, "RS256" as const),
  ceremony: ceremonies,
  data: damage,
  client: damage,
  isOther: usually(false, true),
});

const rsa = createAuthenticator("RS256");
const newPasskey = (of: authenticators.Algorithm, idBytes?: number): Authenticator =>
  of === "RS256" ? rsa : createAuthenticator(of, idBytes);

/** Before the ID: in it, any byte makes another ID. */
const ID_LENGTH_AT = 53;

async function removeAll({ ports, owner, passkeys }: Owner): Promise<number> {
  const all = await passkeys();
  for (const { id } of all) await ports.store.passkeys.remove(owner.id, id);
  return all.length;
}

test("adds the passkeys that another implementation adds", async (t) => {
  const one = await ownerWithoutPasskey(t);
  const { ports, owner } = one;
  const idBytes = fc.constantFrom(1, 16, 64, 1_023);
  let added = 0;
  await fc.assert(
    fc.asyncProperty(bent, idBytes, fc.boolean(), async (by, size, isEmpty) => {
      const flags = by.ceremony.flags | (by.isOther ? 0 : CREDENTIAL_INCLUDED);
      const without = by.isOther ? { rest: Buffer.alloc(isEmpty ? 0 : 1) } : {};
      const challenge = ports.challenges.issue({ addTo: owner.id });
      const passkey = newPasskey(by.algorithm, size);
      const made = passkey.create(challenge, { ...by.ceremony, flags, ...without });
      const authenticatorData = damaged(made.authenticatorData, by.data, ID_LENGTH_AT);
      const attestation = authenticators.attestationOf(Buffer.from(authenticatorData, "base64url"));
      const clientData = damaged(made.clientData, by.client);
      const answer = { ...made, authenticatorData, attestation, clientData };
      const isAdded = (await otherwiseAdded(answer, expecting(challenge))) !== undefined;
      const outcome = await addPasskey(ports, owner.id, answer, FROM);
      assert.equal(outcome, isAdded && !isEmbedded(answer) ? "added" : "rejected");
      added += await removeAll(one);
    }),
    { numRuns: 200 },
  );
  assert.ok(added > 5, `${added} were added`);
});

let clients = 0;
/** From an address of its own, so that the limit does not decide. */
async function signsIn({ ports }: Owner, answer: PasskeyResponse): Promise<boolean> {
  clients += 1;
  const client = { remoteAddress: `2001:db8:${clients.toString(16)}::1` };
  return (await signInWithPasskey(ports, answer, PARTY, client)).kind === "signed-in";
}

test("signs in with the answers that another implementation accepts", async (t) => {
  const one = await ownerWithoutPasskey(t);
  const { ports, owner } = one;
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(bent, damage, fc.constantFrom(...COUNTERS), async (by, cut, counter) => {
      const passkey = newPasskey(by.algorithm);
      const adding = passkey.create(ports.challenges.issue({ addTo: owner.id }), { counter });
      assert.equal(await addPasskey(ports, owner.id, adding, FROM), "added");
      const challenge = ports.challenges.issue("sign-in");
      const signer = by.isOther ? newPasskey("EdDSA") : passkey;
      const made = signer.get(challenge, owner.id, by.ceremony);
      const answer = {
        ...made,
        id: passkey.id,
        clientData: damaged(made.clientData, by.client),
        authenticatorData: damaged(made.authenticatorData, by.data),
        signature: damaged(made.signature, cut),
      };
      const stored = { publicKey: coseKey(passkey), counter };
      const isSignedIn = await otherwiseSignedIn(answer, expecting(challenge), stored);
      const others = isSignedIn && !isEmbedded(answer);
      assert.equal(await signsIn(one, answer), others);
      await removeAll(one);
      if (others) accepted += 1;
    }),
    { numRuns: 200 },
  );
  assert.ok(accepted > 5, `${accepted} were accepted`);
});

// Nothing depends on these bytes, and the passkey has signed them.
const ignored: Readonly<Record<string, authenticators.Ceremony>> = {
  "adds something behind the counter": { rest: Buffer.from("more") },
  "announces extensions without any": { flags: 0x85 },
  "is used with a token binding of no known kind": {
    clientData: { tokenBinding: { status: "x" } },
  },
};
for (const [what, ceremony] of Object.entries(ignored)) {
  test(`signs in with a passkey that ${what}, unlike another implementation`, async (t) => {
    const one = await ownerWithoutPasskey(t);
    const { ports, owner } = one;
    const passkey = createAuthenticator();
    const adding = passkey.create(ports.challenges.issue({ addTo: owner.id }));
    assert.equal(await addPasskey(ports, owner.id, adding, FROM), "added");
    const challenge = ports.challenges.issue("sign-in");
    const answer = passkey.get(challenge, owner.id, { flags: 0x05, ...ceremony });
    const stored = { publicKey: coseKey(passkey), counter: 0 };
    assert.equal(await otherwiseSignedIn(answer, expecting(challenge), stored), false);
    assert.equal(await signsIn(one, answer), true);
  });
}
