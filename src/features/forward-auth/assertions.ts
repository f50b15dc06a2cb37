import { createPrivateKey, sign } from "node:crypto";
import type { User } from "../../db/records.ts";
import { encodeJwtPart } from "../../identity/jwt.ts";
import { type BoundedMemory, createBoundedMemory } from "../../lib/bounded-memory.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseHostName } from "../../lib/host-name.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { type SigningJwk, selectKey } from "../oidc/signing-keys.ts";

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

interface RememberedAssertion {
  readonly text: string;
  readonly issuedAt: number;
}

/** Creates signed statements about the user. Apps can verify them and cannot create them. */
export interface Assertions {
  /**
   * Returns a signed token (JWT) that names the user to the app on this host. The host has the form
   * of a Host header. Returns `undefined` for an invalid host. A remembered token needs no promise.
   */
  getAssertion(user: User, host: string): MaybePromise<string | undefined>;
}

/** Creates the assertions. They are signed with the keys that all instances share. */
export function createAssertions(
  readKeys: () => MaybePromise<readonly SigningJwk[]>,
  clock: Pick<Clock, "now">,
): Assertions {
  /**
   * The cache is keyed by user object, so a user that was reloaded with other groups has no cached
   * assertion.
   */
  const assertionsByUser = new WeakMap<User, BoundedMemory<string, RememberedAssertion>>();

  async function signAssertion(
    { id: sub, username, groups = [], name, email, emailVerified }: User,
    aud: string,
    now: number,
  ): Promise<RememberedAssertion> {
    const key = selectKey(await readKeys(), "EdDSA");
    const iat = Math.floor(now / 1_000);
    const header = encodeJwtPart({ alg: key.alg, typ: "JWT", kid: key.kid });
    // Apps may identify people by an address, so one that is not verified is not in it.
    const profile = {
      ...(name !== undefined && { name }),
      ...(emailVerified === true && { email }),
    };
    const claims = { sub, username, groups, ...profile, aud, iat, exp: iat + LIFETIME_SECONDS };
    const text = `${header}.${encodeJwtPart(claims)}`;
    const privateKey = createPrivateKey({ key: { ...key }, format: "jwk" });
    const signature = sign(null, Buffer.from(text), privateKey).toString("base64url");
    return { text: `${text}.${signature}`, issuedAt: now };
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
      return signAssertion(user, audience, now).then((signed) => {
        hosts.set(host, signed);
        assertionsByUser.set(user, hosts);
        return signed.text;
      });
    },
  };
}
