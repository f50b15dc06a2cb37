import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";

/** Identifies an account at a certificate authority. */
export interface AccountKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: object;
  /**
   * Each challenge response appends this text to the token. It proves that this account requested
   * the challenge.
   */
  readonly thumbprint: string;
}

export function createKeyPem(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function parseAccountKey(pem: string): AccountKey {
  const { crv, kty, x, y } = createPublicKey(pem).export({ format: "jwk" });
  // RFC 7638 computes a thumbprint from these names, in this order.
  const publicJwk = { crv, kty, x, y };
  const thumbprint = createHash("sha256").update(JSON.stringify(publicJwk)).digest("base64url");
  return { privateKey: createPrivateKey(pem), publicJwk, thumbprint };
}

const CERTIFICATE_EXTENSIONS = "2a864886f70d01090e";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";

/** Creates a certificate signing request (PKCS #10) for one name and a P-256 key, as DER. */
export function createSigningRequest(name: string, keyPem: string): Buffer {
  const key = createPrivateKey(keyPem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const noSubject = encodeSequence();
  const requestInfo = encodeSequence(version0, noSubject, publicKey, encodeExtensions(name));
  const signature = sign("sha256", requestInfo, key);
  return encodeSequence(
    requestInfo,
    encodeSequence(encodeIdentifier(ECDSA_WITH_SHA256)),
    encodeBits(signature),
  );
}

/**
 * Encodes the subject alternative name, because authorities read names only from this extension.
 */
function encodeExtensions(name: string): Buffer {
  const dnsName = encodeDer(0x82, Buffer.from(name, "ascii"));
  const names = encodeSequence(
    encodeIdentifier(SUBJECT_ALTERNATIVE_NAME),
    encodeOctets(encodeSequence(dnsName)),
  );
  return encodeDer(
    0xa0,
    encodeSequence(encodeIdentifier(CERTIFICATE_EXTENSIONS), encodeSet(encodeSequence(names))),
  );
}

const version0 = Buffer.from([0x02, 0x01, 0x00]);
const encodeSequence = (...parts: readonly Buffer[]): Buffer => encodeDer(0x30, ...parts);
const encodeSet = (...parts: readonly Buffer[]): Buffer => encodeDer(0x31, ...parts);
const encodeOctets = (content: Buffer): Buffer => encodeDer(0x04, content);
const encodeBits = (content: Buffer): Buffer => encodeDer(0x03, Buffer.from([0]), content);
const encodeIdentifier = (hex: string): Buffer => encodeDer(0x06, Buffer.from(hex, "hex"));

function encodeDer(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
}

function encodeLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
