import { hash } from "node:crypto";
import { parseJsonObject } from "../../lib/json.ts";
import { readCreatedKey } from "./attestation.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Contains what a browser returns when it uses a passkey, in base64url. */
export interface CeremonyResponse {
  readonly clientData: string;
  readonly authenticatorData: string;
}

interface Ceremony {
  /** The browser was asked this challenge. The caller must still verify it. */
  readonly challenge: string;
  readonly counter: number;
  readonly created: CreatedPasskey | undefined;
  /** The passkey signs these bytes. */
  readonly signed: Buffer;
}

/** Describes a created passkey in base64url. */
interface CreatedPasskey {
  readonly id: string;
  /** The key has the format SubjectPublicKeyInfo. */
  readonly publicKey: string;
}

const FLAG = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  credentialIncluded: 0x40,
  extensionsIncluded: 0x80,
} as const;
const VERIFIED = FLAG.userPresent | FLAG.userVerified;

// Authenticator data contains the hash of the RP ID, flags and counter, and for a created passkey
// also the model of the authenticator, the length of the ID, the ID, and the key.
const FLAGS_AT = 32;
const COUNTER_AT = 33;
const HEADER_BYTES = 37;
const ID_LENGTH_AT = HEADER_BYTES + 16;
const ID_AT = ID_LENGTH_AT + 2;
/** WebAuthn sets this limit. */
const MAX_ID_BYTES = 1_023;

/**
 * Reads what the browser returned. Returns `undefined` unless the response has this type, comes
 * from an origin of this relying party itself, and the authenticator verified the user.
 */
export function parseCeremony(
  response: CeremonyResponse,
  type: "webauthn.create" | "webauthn.get",
  party: RelyingParty,
): Ceremony | undefined {
  const client = Buffer.from(response.clientData, "base64url");
  const data = Buffer.from(response.authenticatorData, "base64url");
  const claims = parseJsonObject(client.toString());
  if (claims?.type !== type || typeof claims.challenge !== "string") return undefined;
  if (typeof claims.origin !== "string" || !party.origins.includes(claims.origin)) return undefined;
  // Another site has embedded the page.
  const isEmbedded = (claims.crossOrigin ?? false) !== false;
  if (isEmbedded || claims.topOrigin !== undefined) return undefined;

  if (data.length < HEADER_BYTES) return undefined;
  if (!data.subarray(0, FLAGS_AT).equals(hashSha256(party.id))) return undefined;
  const flags = data.readUInt8(FLAGS_AT);
  if ((flags & VERIFIED) !== VERIFIED) return undefined;
  // No authenticator reports this state: a passkey that is backed up must be eligible for backup.
  if ((flags & FLAG.backedUp) !== 0 && (flags & FLAG.backupEligible) === 0) return undefined;
  return {
    challenge: claims.challenge,
    counter: data.readUInt32BE(COUNTER_AT),
    created: (flags & FLAG.credentialIncluded) === 0 ? undefined : readCreated(data, flags),
    signed: Buffer.concat([data, hashSha256(client)]),
  };
}

function readCreated(data: Buffer, flags: number): CreatedPasskey | undefined {
  if (data.length < ID_AT) return undefined;
  const length = data.readUInt16BE(ID_LENGTH_AT);
  const end = ID_AT + length;
  if (length === 0 || length > MAX_ID_BYTES || data.length < end) return undefined;
  const hasExtensions = (flags & FLAG.extensionsIncluded) !== 0;
  const rest = data.subarray(end);
  const publicKey = readCreatedKey(rest, hasExtensions ? "extensions" : "no-extensions");
  if (publicKey === undefined) return undefined;
  return { id: data.subarray(ID_AT, end).toString("base64url"), publicKey };
}

const hashSha256 = (data: string | Buffer): Buffer => hash("sha256", data, "buffer");
