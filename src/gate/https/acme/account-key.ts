import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";

/** The key that identifies an account at a certificate authority. */
export interface AccountKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
  /** Appended to each challenge token, to prove that this account requested the challenge. */
  readonly thumbprint: string;
}

export function newKeyPem(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export async function accountKey(pem: string): Promise<AccountKey> {
  const privateKey = createPrivateKey(pem);
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicJwk = { kty, crv, x, y } as JWK;
  return { privateKey, publicJwk, thumbprint: await calculateJwkThumbprint(publicJwk) };
}
