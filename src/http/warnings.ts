import type { ServerLog } from "../lib/server-log.ts";
import { getPeer, normalizeAddress, type ProxyTrust, parseHops } from "./remote-address.ts";
import type { RequestIds } from "./request-id.ts";
import type { WebRequest } from "./web-request.ts";

export interface WarningServices {
  readonly requests: RequestIds;
  readonly proxies: ProxyTrust;
}

/**
 * Logs a refusal with the client's address. It logs no entered value, because users may confuse the
 * fields.
 */
export function logRefusal(
  { requests, proxies }: WarningServices,
  request: WebRequest,
  message: string,
  fields: Readonly<Record<string, string>> = {},
): void {
  requests.log.warn({ address: proxies.getAddressOrUnknown(request), ...fields }, message);
}

/** Any client can send the header, so this limits the number of warnings. */
const MAX_WARNED = 10;

/**
 * Warns once for each untrusted peer that forwards requests. If a proxy is missing from the
 * options, all users share the five attempts of one address. An app that takes the client's address
 * from the header itself, as on Next.js, gets no warning.
 */
export function createProxyWarning(
  { trusts }: ProxyTrust,
  log: ServerLog,
): (request: WebRequest) => void {
  const warned = new Set<string>();
  return (request) => {
    const forwardedFor = request.header("x-forwarded-for");
    const connected = getPeer(request);
    if (forwardedFor === undefined || connected === undefined) return;
    const peer = normalizeAddress(connected);
    if (trusts(peer) || warned.has(peer) || warned.size >= MAX_WARNED) return;
    if ([...parseHops(forwardedFor)].includes(peer)) return;
    warned.add(peer);
    log.warn(
      { peer },
      "sign-ins arrive with X-Forwarded-For from a peer that is not in TRUSTED_PROXIES (hosts.trustedProxies): all clients behind it share the sign-in limit of one address",
    );
  };
}
