import { createPrivateKey, randomUUID, sign } from "node:crypto";
import type { SignOut } from "../../db/records.ts";
import { encodeJwtPart } from "../../identity/jwt.ts";
import type { SigningJwk } from "./signing-keys.ts";

/** The app must receive the token within this time. Each request gets a new one. */
const LIFETIME_SECONDS = 120;

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Creates the token that tells an app that a session has ended (OpenID Connect Back-Channel Logout). */
export function createLogoutToken(
  { appId, userId, sid }: SignOut,
  key: SigningJwk,
  issuer: string,
  now: number,
): string {
  const issuedAt = Math.floor(now / 1_000);
  const claims = {
    iss: issuer,
    sub: userId,
    aud: appId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: randomUUID(),
    events: { [EVENT]: {} },
    sid,
  };
  const header = encodeJwtPart({ alg: key.alg, typ: "logout+jwt", kid: key.kid });
  const text = `${header}.${encodeJwtPart(claims)}`;
  const privateKey = createPrivateKey({ key: { ...key }, format: "jwk" });
  const signature = sign("sha256", Buffer.from(text), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}
