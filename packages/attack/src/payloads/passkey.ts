import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What an attacker changes in an answer. */
export interface Answering {
  readonly origin: string;
  readonly rpId: string;
  readonly counter?: number;
  readonly flags?: number;
}

type Form = Readonly<Record<string, string>>;

/** A passkey in software, which signs any input. */
export interface SoftPasskey {
  readonly id: string;
  /** The form that adds it. */
  added(challenge: string, answering: Answering): Form;
  /** The form that signs in with it. */
  used(challenge: string, userHandle: string, answering: Answering): Form;
}

const PRESENT_AND_VERIFIED = 0x05;
const CREDENTIAL_INCLUDED = 0x40;

export function softPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const id = randomBytes(16);
  return {
    id: text(id),
    added(challenge, answering) {
      const flags = PRESENT_AND_VERIFIED | CREDENTIAL_INCLUDED;
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      const key = coseKey(Buffer.from(x, "base64url"), Buffer.from(y, "base64url"));
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const data = Buffer.concat([head({ flags, ...answering }), credential]);
      return {
        name: "latchkey-attack",
        client_data: text(clientData("webauthn.create", challenge, answering)),
        attestation: text(attestation(data)),
      };
    },
    used(challenge, userHandle, answering) {
      const client = clientData("webauthn.get", challenge, answering);
      const data = head({ flags: PRESENT_AND_VERIFIED, ...answering });
      return {
        credential: text(id),
        user_handle: userHandle,
        client_data: text(client),
        authenticator_data: text(data),
        signature: text(sign("sha256", Buffer.concat([data, sha256(client)]), privateKey)),
      };
    },
  };
}

/** An ES256 key as authenticators write it, in CBOR. */
const coseKey = (x: Buffer, y: Buffer): Buffer =>
  Buffer.concat([Buffer.from("a5010203262001215820", "hex"), x, Buffer.from("225820", "hex"), y]);

/** The authenticator data with no statement about the device, in CBOR. */
function attestation(data: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  return Buffer.concat([
    Buffer.from("a3", "hex"),
    Buffer.from("cfmtdnonegattStmt"),
    Buffer.from("a0", "hex"),
    Buffer.from("hauthData"),
    Buffer.from("59", "hex"),
    length,
    data,
  ]);
}

const clientData = (type: string, challenge: string, { origin }: Answering): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function head({ rpId, flags = 0, counter = 0 }: Answering): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), rest]);
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

const text = (bytes: Buffer): string => bytes.toString("base64url");
