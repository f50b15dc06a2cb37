import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, type JWK } from "jose";

/** What an account with an authority is known by. */
export interface AccountKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
  /** Stands behind each challenge token, and proves that it was this account's. */
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
