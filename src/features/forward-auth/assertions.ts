import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { User } from "../../db/records.ts";
import { encodeJwtPart } from "../../identity/jwt.ts";
import { type BoundedMemory, createBoundedMemory } from "../../lib/bounded-memory.ts";
import type { Clock } from "../../lib/clock.ts";
import { deriveKey } from "../../lib/derive-key.ts";
import { parseHostName } from "../../lib/host-name.ts";
import { digestText } from "../../lib/random-text.ts";

const LIFETIME_SECONDS = 60;
/**
 * An assertion is reused for 30 seconds, so a returned one is valid for at least half of its
 * minute.
 */
const RENEW_AFTER_MS = 30_000;
/** Limits the cached assertions of one user. At least the recently used half is kept. */
const MAX_HOSTS = 32;
/** This is enough for a DNS name with a port. The limit only bounds the length of cached keys. */
const MAX_HOST_LENGTH = 260;

/** Describes a JSON Web Key (RFC 8037). */
type PublicKey = Readonly<Record<"kty" | "crv" | "x" | "kid" | "alg" | "use", string>>;

interface RememberedAssertion {
  readonly text: string;
  readonly issuedAt: number;
}

/** Creates signed statements about the user. Apps can verify them and cannot create them. */
export interface Assertions {
  /**
   * Returns a signed token (JWT) that names the user to the app on this host. The host has the form
   * of a Host header. Returns `undefined` for an invalid host.
   */
  getAssertion(user: User, host: string): string | undefined;
  /**
   * Lists the public keys of the secret and the previous secrets. Apps may still receive assertions
   * that were signed with a previous one.
   */
  readonly publicKeys: readonly PublicKey[];
}

/**
 * Creates the assertions. Each key is derived from its secret, so all gates with this secret use
 * and list the same keys.
 */
export function createAssertions(
  secret: string,
  clock: Pick<Clock, "now">,
  previousSecrets: readonly string[] = [],
): Assertions {
  const signingKey = deriveSigningKey(secret);
  const publicKeys = [signingKey, ...previousSecrets.map(deriveSigningKey)].map(exportPublicKey);
  const header = encodeJwtPart({ alg: "EdDSA", typ: "JWT", kid: publicKeys[0]?.kid });
  /**
   * The cache is keyed by user object, so a user that was reloaded with other groups has no cached
   * assertion.
   */
  const assertionsByUser = new WeakMap<User, BoundedMemory<string, RememberedAssertion>>();

  function signAssertion(
    { id: sub, username, groups = [] }: User,
    aud: string,
    iat: number,
  ): string {
    const claims = { sub, username, groups, aud, iat, exp: iat + LIFETIME_SECONDS };
    const text = `${header}.${encodeJwtPart(claims)}`;
    return `${text}.${sign(null, Buffer.from(text), signingKey).toString("base64url")}`;
  }

  return {
    getAssertion(user, host) {
      if (host.length > MAX_HOST_LENGTH) return undefined;
      const now = clock.now();
      const hosts =
        assertionsByUser.get(user) ?? createBoundedMemory<string, RememberedAssertion>(MAX_HOSTS);
      const cached = hosts.get(host);
      // If the clock was set back, a cached assertion would have an issue time in the future.
      if (cached !== undefined && now >= cached.issuedAt && now < cached.issuedAt + RENEW_AFTER_MS)
        return cached.text;
      const audience = parseHostName(host);
      if (audience === undefined) return undefined;
      const text = signAssertion(user, audience, Math.floor(now / 1_000));
      hosts.set(host, { text, issuedAt: now });
      assertionsByUser.set(user, hosts);
      return text;
    },
    publicKeys,
  };
}

/** This is the start of a PKCS#8 structure (RFC 8410). The 32 bytes of the key follow it. */
const PKCS8_OF_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

function deriveSigningKey(secret: string): KeyObject {
  const seed = deriveKey(secret, "latchkey assertions");
  const key = Buffer.concat([PKCS8_OF_ED25519, seed]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function exportPublicKey(signingKey: KeyObject): PublicKey {
  const { x = "" } = createPublicKey(signingKey).export({ format: "jwk" });
  const members = { crv: "Ed25519", kty: "OKP", x };
  // The thumbprint of RFC 7638 requires the members in this order.
  const kid = digestText(JSON.stringify(members));
  return { ...members, kid, alg: "EdDSA", use: "sig" };
}
