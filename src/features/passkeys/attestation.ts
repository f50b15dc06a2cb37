import { createPublicKey, type webcrypto } from "node:crypto";
import { type CBORType, decodeCBOR, decodePartialCBOR } from "@levischuck/tiny-cbor";
import { normalizePublicKey } from "./public-key.ts";

/**
 * Returns the authenticator data of an attestation object, which a browser creates with a passkey.
 * The statement about the maker of the authenticator is not read. Returns `undefined` for any other
 * text.
 */
export function readAuthenticatorData(attestation: string): Buffer | undefined {
  const object = tryDecode(() => decodeCBOR(copyBytes(Buffer.from(attestation, "base64url"))));
  const data = object instanceof Map ? object.get("authData") : undefined;
  return data instanceof Uint8Array ? Buffer.from(data) : undefined;
}

/**
 * Returns the public key that follows the ID of a created passkey, as SubjectPublicKeyInfo in
 * base64url.
 *
 * @param rest contains the bytes after the ID: the key, and with `extensions` a map of
 *   extensions.
 */
export function readCreatedKey(
  rest: Buffer,
  extensions: "extensions" | "no-extensions",
): string | undefined {
  const bytes = copyBytes(rest);
  const [key, length] = tryDecode(() => decodePartialCBOR(bytes, 0)) ?? [undefined, 0];
  const following = bytes.subarray(length);
  const isWhole =
    extensions === "extensions"
      ? tryDecode(() => decodeCBOR(copyBytes(following))) instanceof Map
      : following.length === 0;
  return isWhole && key instanceof Map ? toSpki(key) : undefined;
}

/**
 * Copies the bytes. The decoder reads the whole memory behind a view, so a Buffer could expose
 * other bytes.
 */
const copyBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

/**
 * Returns `undefined` if the data is not CBOR or is nested too deeply, for which the decoder
 * throws.
 */
function tryDecode<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// These are the labels of a COSE key. The meaning of -1 to -3 depends on its type.
const TYPE = 1;
const ALGORITHM = 3;

/** Accepts only the keys that browsers are asked for: ES256, EdDSA with Ed25519, and RS256. */
function toSpki(cose: Map<string | number, CBORType>): string | undefined {
  const jwk = toJwk(cose);
  const key = jwk && tryDecode(() => createPublicKey({ key: jwk, format: "jwk" }));
  return (
    key && normalizePublicKey(key.export({ format: "der", type: "spki" }).toString("base64url"))
  );
}

function toJwk(cose: Map<string | number, CBORType>): webcrypto.JsonWebKey | undefined {
  const readText = (label: number): string => {
    const bytes = cose.get(label);
    return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64url") : "";
  };
  const type = cose.get(TYPE);
  const algorithm = cose.get(ALGORITHM);
  const curve = cose.get(-1);
  if (type === 2 && algorithm === -7 && curve === 1)
    return { kty: "EC", crv: "P-256", x: readText(-2), y: readText(-3) };
  if (type === 1 && algorithm === -8 && curve === 6)
    return { kty: "OKP", crv: "Ed25519", x: readText(-2) };
  if (type === 3 && algorithm === -257) return { kty: "RSA", n: readText(-1), e: readText(-2) };
  return undefined;
}
