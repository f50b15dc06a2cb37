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
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id]);
      return {
        name: "latchkey-attack",
        client_data: text(clientData("webauthn.create", challenge, answering)),
        authenticator_data: text(Buffer.concat([head({ flags, ...answering }), credential])),
        public_key: text(publicKey.export({ format: "der", type: "spki" })),
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
