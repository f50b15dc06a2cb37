import { hash } from "node:crypto";
import { objectIn } from "../base/json.ts";
import type { RelyingParty } from "./relying-party.ts";

/** What a browser returns when it creates or uses a passkey, in base64url. */
export interface BrowserAnswer {
  readonly clientData: string;
  readonly authenticatorData: string;
}

interface Ceremony {
  /** What the browser was asked, which is still to be verified. */
  readonly challenge: string;
  readonly counter: number;
  /** The ID of a created passkey, in base64url. */
  readonly createdId: string | undefined;
  /** The bytes that a passkey signs. */
  readonly signed: Buffer;
}

const FLAG = { userPresent: 0x01, userVerified: 0x04, credentialIncluded: 0x40 } as const;
const VERIFIED = FLAG.userPresent | FLAG.userVerified;

// The layout of authenticator data: hash of the RP ID, flags, counter, and for a created passkey
// the model of the authenticator, the length of the ID, and the ID.
const FLAGS_AT = 32;
const COUNTER_AT = 33;
const HEADER_BYTES = 37;
const ID_LENGTH_AT = HEADER_BYTES + 16;
const ID_AT = ID_LENGTH_AT + 2;
/** The limit of WebAuthn. */
const MAX_ID_BYTES = 1_023;

/**
 * Reads what the browser returned. Returns `undefined` unless it is of this type, from an origin of
 * this relying party itself, and the authenticator verified the user.
 */
export function parseCeremony(
  answer: BrowserAnswer,
  type: "webauthn.create" | "webauthn.get",
  party: RelyingParty,
): Ceremony | undefined {
  const client = Buffer.from(answer.clientData, "base64url");
  const data = Buffer.from(answer.authenticatorData, "base64url");
  const claims = objectIn(client.toString());
  if (claims?.type !== type || typeof claims.challenge !== "string") return undefined;
  if (typeof claims.origin !== "string" || !party.origins.includes(claims.origin)) return undefined;
  // A page of another site has embedded this one.
  const isEmbedded = (claims.crossOrigin ?? false) !== false;
  if (isEmbedded || claims.topOrigin !== undefined) return undefined;

  if (data.length < HEADER_BYTES) return undefined;
  if (!data.subarray(0, FLAGS_AT).equals(sha256(party.id))) return undefined;
  const flags = data.readUInt8(FLAGS_AT);
  if ((flags & VERIFIED) !== VERIFIED) return undefined;
  return {
    challenge: claims.challenge,
    counter: data.readUInt32BE(COUNTER_AT),
    createdId: (flags & FLAG.credentialIncluded) === 0 ? undefined : createdIdIn(data),
    signed: Buffer.concat([data, sha256(client)]),
  };
}

function createdIdIn(data: Buffer): string | undefined {
  if (data.length < ID_AT) return undefined;
  const length = data.readUInt16BE(ID_LENGTH_AT);
  if (length === 0 || length > MAX_ID_BYTES || data.length < ID_AT + length) return undefined;
  return data.subarray(ID_AT, ID_AT + length).toString("base64url");
}

const sha256 = (data: string | Buffer): Buffer => hash("sha256", data, "buffer");
