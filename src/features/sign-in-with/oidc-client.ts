import * as openid from "openid-client";
import type { Provider, ProviderClient, ProviderIdentity } from "../../identity/providers.ts";
import type { Clock } from "../../lib/clock.ts";
import { readText } from "../../lib/json.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** Clocks of providers may be off by this much. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** The addresses and keys of a provider are looked up again after this time. */
const RENEW_AFTER_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;

/** Values of the claim `amr` (RFC 8176) that stand for a second factor. */
const SECOND_FACTORS: ReadonlySet<unknown> = new Set(["mfa", "otp", "hwk", "swk", "fido", "sms"]);

/** Creates a client for a provider of OpenID Connect, which is looked up with the first sign-in. */
export function createOidcClient(
  provider: Provider,
  clock: Pick<Clock, "monotonic">,
): ProviderClient {
  let known: { readonly at: number; readonly config: openid.Configuration } | undefined;

  async function getConfig(): Promise<openid.Configuration> {
    const now = clock.monotonic();
    if (known === undefined || now - known.at >= RENEW_AFTER_MS) {
      known = { at: now, config: await discover(provider) };
    }
    return known.config;
  }

  return {
    async begin({ redirectUri, state, nonce, verifier, prompt }) {
      const config = await getConfig();
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid profile email",
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(prompt === "again" && { max_age: "0", prompt: "login" }),
      });
    },

    async finish(url, { redirectUri, state, nonce, verifier, prompt }) {
      const config = await getConfig();
      const current = new URL(redirectUri);
      current.search = url.search;
      const tokens = await openid.authorizationCodeGrant(config, current, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(prompt === "again" && { maxAge: 0 }),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("the provider has sent no ID token");
      // Some providers have the address and the groups only there.
      const hasUserInfo = config.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasUserInfo
        ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
      return toIdentity(provider, claims.iss, claims.sub, { ...more, ...claims });
    },
  };
}

async function discover(provider: Provider): Promise<openid.Configuration> {
  const { issuer, clientId, clientSecret } = provider;
  const authenticate: openid.ClientAuth =
    clientSecret === undefined
      ? openid.None()
      : (server, ...rest) => {
          const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } =
            server;
          const method = methods.includes("client_secret_basic")
            ? openid.ClientSecretBasic(clientSecret)
            : openid.ClientSecretPost(clientSecret);
          return method(server, ...rest);
        };
  const url = new URL(issuer);
  return openid.discovery(
    url,
    clientId,
    { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    authenticate,
    {
      [openid.customFetch]: (target, options) => boundedFetch(target, options as RequestInit),
      timeout: TIMEOUT_SECONDS,
      // Without this, only TLS would show who has issued an ID token. A provider on this machine
      // needs no TLS.
      execute: [
        openid.enableNonRepudiationChecks,
        ...(isLoopbackHost(url.hostname) ? [openid.allowInsecureRequests] : []),
      ],
    },
  );
}

/** Reads the claims that are used here. Claims of another type are ignored. */
function toIdentity(
  { groupsClaim }: Provider,
  issuer: string,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): ProviderIdentity {
  const { preferred_username, name, email, email_verified, amr } = claims;
  const groups = groupsClaim === undefined ? undefined : claims[groupsClaim];
  return {
    issuer,
    subject,
    username: readText(preferred_username),
    name: readText(name),
    email: readText(email),
    // Some providers send the text `true`.
    emailIs: email_verified === true || email_verified === "true" ? "verified" : "unverified",
    groups:
      groups === undefined
        ? undefined
        : [groups].flat().filter((group) => typeof group === "string"),
    factors: Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.has(method)) ? 2 : 1,
  };
}
