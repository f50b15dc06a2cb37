import type { Context } from "hono";
import type { ServerLog } from "../../core/server-log.ts";
import { connectedFrom } from "./connection.ts";
import { canonicalAddress, type ProxyTrust } from "./remote-address.ts";

/** Peers that are named. Anybody can send the header, so the list must not grow with them. */
const MOST_NAMED = 100;

/**
 * Warns of a peer that forwards others' requests and is not trusted: once for each address. A proxy
 * that was forgotten makes everybody behind it share the five attempts of one address.
 */
export function warnOfUnheeded(
  { trusts }: Pick<ProxyTrust, "trusts">,
  log: Pick<ServerLog, "warn">,
): (c: Context) => void {
  const named = new Set<string>();
  return (c) => {
    if (c.req.header("x-forwarded-for") === undefined) return;
    const peer = canonicalAddress(connectedFrom(c));
    if (trusts(peer) || named.has(peer) || named.size >= MOST_NAMED) return;
    named.add(peer);
    log.warn(
      { peer },
      "sign-ins arrive with X-Forwarded-For from a peer that is not in TRUSTED_PROXIES (trustedProxies): everybody behind it counts as one address for the sign-in limit",
    );
  };
}
