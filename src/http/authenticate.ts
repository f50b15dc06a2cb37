import type { AuthenticateKey, KeyAdmission } from "../identity/authenticate-key.ts";
import type { Admission } from "../identity/authenticate-session.ts";
import { parseHostName } from "../lib/host-name.ts";
import { andThen, type MaybePromise } from "../lib/maybe-promise.ts";
import { getPeer, type ProxyTrust } from "./remote-address.ts";
import type { AuthenticateCookies } from "./session-cookie.ts";
import { getHost, type WebRequest } from "./web-request.ts";

/**
 * Identifies the user by the Cookie and Authorization headers. It calls `request` only for API
 * keys.
 */
export type AuthenticateRequest = (
  cookies: string | undefined,
  authorization: string | undefined,
  request: () => WebRequest,
) => MaybePromise<Admission | KeyAdmission>;

/**
 * Creates the function. If a request carries an API key, its session cookie is ignored. `keys` is
 * `undefined` if API keys are off.
 */
export function createAuthenticateRequest(
  authenticate: AuthenticateCookies,
  keys: AuthenticateKey | undefined,
  proxies: ProxyTrust,
): AuthenticateRequest {
  if (keys === undefined) return authenticate;
  return (cookies, authorization, request) => {
    if (authorization === undefined) return authenticate(cookies);
    const admission = keys(authorization, {
      host: () => parseHostName(readRequestedHost(proxies, request())),
      address() {
        const asking = request();
        return getPeer(asking) === undefined ? undefined : proxies.getAddressOrUnknown(asking);
      },
    });
    return andThen(admission, (byKey) => byKey ?? authenticate(cookies));
  };
}

/**
 * Returns the host that the client requested: from a trusted proxy, or else from the request. The
 * host is not checked.
 */
export function readRequestedHost(proxies: ProxyTrust, request: WebRequest): string {
  const isConnected = getPeer(request) !== undefined;
  const forwarded = isConnected ? proxies.header(request, "x-forwarded-host") : undefined;
  return forwarded ?? getHost(request);
}
