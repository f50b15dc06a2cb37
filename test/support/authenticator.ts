import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { type CBORType, encodeCBOR } from "@levischuck/tiny-cbor";
import type { NewPasskey } from "../../src/features/passkeys/manage-passkeys.ts";
import type { RelyingParty } from "../../src/features/passkeys/relying-party.ts";
import type { PasskeyResponse } from "../../src/features/passkeys/sign-in-with-passkey.ts";

/** What a test changes in an answer of the authenticator or of its browser. */
export interface Ceremony {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly counter?: number;
  /** Further or other fields of the client data. */
  readonly clientData?: object;
  /** What follows the counter in the authenticator data. */
  readonly rest?: Uint8Array;
}

/** What a browser returns, with the authenticator data that is in the attestation object. */
export interface CreatedAnswer extends NewPasskey {
  readonly authenticatorData: string;
}

/** A passkey with its private key, and the browser that it is used in. */
export interface Authenticator {
  readonly id: string;
  readonly publicKey: string;
  create(challenge: string, ceremony?: Ceremony): CreatedAnswer;
  get(challenge: string, userId: string, ceremony?: Ceremony): PasskeyResponse;
}

export const RP_ID = "auth.example.org";
export const ORIGIN = "https://auth.example.org";
export const PARTY: RelyingParty = { id: RP_ID, origins: [ORIGIN] };

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export type Algorithm = "ES256" | "RS256" | "EdDSA";
export const algorithms: readonly Algorithm[] = ["ES256", "RS256", "EdDSA"];

const keyPairs: Readonly<Record<Algorithm, () => KeyPair>> = {
  ES256: () => generateKeyPairSync("ec", { namedCurve: "prime256v1" }),
  RS256: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync("ed25519"),
};

export function createAuthenticator(algorithm: Algorithm = "ES256", idBytes = 16): Authenticator {
  const { publicKey, privateKey } = keyPairs[algorithm]();
  const credentialId = randomBytes(idBytes);
  const length = Buffer.from([idBytes >> 8, idBytes & 0xff]);
  const included = Buffer.concat([randomBytes(16), length, credentialId, coseKey(publicKey)]);

  return {
    id: credentialId.toString("base64url"),
    publicKey: spkiOf(publicKey),
    create(challenge, ceremony = {}) {
      const flags = USER_PRESENT | USER_VERIFIED | CREDENTIAL_INCLUDED;
      const data = dataFor({ flags, rest: included, ...ceremony });
      return {
        name: "Phone",
        clientData: encoded(clientDataFor("webauthn.create", challenge, ceremony)),
        authenticatorData: encoded(data),
        attestation: attestationOf(data),
      };
    },
    get(challenge, userId, ceremony = {}) {
      const data = dataFor({ flags: USER_PRESENT | USER_VERIFIED, ...ceremony });
      const clientData = clientDataFor("webauthn.get", challenge, ceremony);
      const signed = Buffer.concat([data, sha256(clientData)]);
      const digest = algorithm === "EdDSA" ? undefined : "sha256";
      return {
        id: credentialId.toString("base64url"),
        userHandle: encoded(Buffer.from(userId)),
        clientData: encoded(clientData),
        authenticatorData: encoded(data),
        signature: encoded(sign(digest, signed, privateKey)),
      };
    },
  };
}

/** The attestation object around authenticator data, in base64url. */
export function attestationOf(data: Uint8Array): string {
  const fields = [
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", Uint8Array.from(data)],
  ] as const;
  return encoded(Buffer.from(encodeCBOR(new Map<string, CBORType>(fields))));
}

/** The public key as authenticators write it. */
export function coseKey(key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  const bytes = (name: "x" | "y" | "n" | "e") =>
    Uint8Array.from(Buffer.from(jwk[name] ?? "", "base64url"));
  const fields: Readonly<Record<string, () => readonly CBORType[]>> = {
    EC: () => [2, -7, 1, bytes("x"), bytes("y")],
    RSA: () => [3, -257, bytes("n"), bytes("e")],
    OKP: () => [1, -8, 6, bytes("x")],
  };
  const [type, algorithm, ...others] = fields[jwk.kty ?? ""]?.() ?? [];
  const labelled = others.map((value, index) => [-1 - index, value] as const);
  const cose = new Map<string | number, CBORType>([[1, type], [3, algorithm], ...labelled]);
  return Buffer.from(encodeCBOR(cose));
}

export const spkiOf = (key: KeyObject): string =>
  encoded(key.export({ format: "der", type: "spki" }));

function clientDataFor(type: string, challenge: string, ceremony: Ceremony): Buffer {
  const { origin = ORIGIN, clientData } = ceremony;
  return Buffer.from(
    JSON.stringify({
      type: ceremony.type ?? type,
      challenge,
      origin,
      crossOrigin: false,
      ...clientData,
    }),
  );
}

function dataFor({ rpId = RP_ID, flags = 0, counter = 0, rest }: Ceremony): Buffer {
  const end = Buffer.alloc(5);
  end.writeUInt8(flags, 0);
  end.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), end, rest ?? Buffer.alloc(0)]);
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

const encoded = (bytes: Buffer): string => bytes.toString("base64url");
