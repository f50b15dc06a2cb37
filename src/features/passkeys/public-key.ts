import { createPublicKey, type KeyObject, verify } from "node:crypto";

const MIN_RSA_BITS = 2048;
/** Larger keys and exponents would make each verification slow and the stored key long. */
const MAX_RSA_BITS = 4096;
const MAX_RSA_EXPONENT = 0xffff_ffffn;

/**
 * Reads a public key from a browser (SubjectPublicKeyInfo in base64url) for one of the algorithms
 * of `isValidSignature`: ES256, RS256 and EdDSA with Ed25519. Removes what decoders ignore, such as
 * foreign characters and bytes after the end of the key.
 */
export const normalizePublicKey = (spki: string): string | undefined =>
  parsePublicKey(spki)?.export({ format: "der", type: "spki" }).toString("base64url");

/**
 * Verifies a signature. The type of the key determines the algorithm, so that no message can choose
 * another.
 */
export function isValidSignature(spki: string, data: Buffer, signature: string): boolean {
  const key = parsePublicKey(spki);
  if (key === undefined) return false;
  const digest = key.asymmetricKeyType === "ed25519" ? undefined : "sha256";
  return verify(digest, data, key, Buffer.from(signature, "base64url"));
}

function parsePublicKey(spki: string): KeyObject | undefined {
  try {
    const bytes = Buffer.from(spki, "base64url");
    const key = createPublicKey({ key: bytes, format: "der", type: "spki" });
    return isSupported(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

function isSupported({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  const isP256 = asymmetricKeyType === "ec" && namedCurve === "prime256v1";
  if (asymmetricKeyType === "rsa") {
    const isSize = modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS;
    return isSize && publicExponent <= MAX_RSA_EXPONENT;
  }
  return asymmetricKeyType === "ed25519" || isP256;
}
