import { getReach, REACH_FIELDS } from "../gate/reach.ts";
import { createAddressMatcher } from "../http/remote-address.ts";
import { MAX_LIMIT_IPV6_PREFIX } from "../options.ts";
import { type Check, createCheck, hint, ok, problem } from "./check.ts";

/** Networks of one owner are smaller: `fc00::/7` is the largest private network. */
const TOO_WIDE = /\/0*[0-6]$/;
/**
 * These addresses have different owners. IPv6 ranges such as `::ffff:0:0/96` contain all of IPv4.
 */
const SAMPLES = ["1.1.1.1", "81.2.69.142", "203.0.113.7"];

export const checkProxy: Check = createCheck("proxy", ["trustedProxies"], async (installation) => {
  const { trustedProxies } = installation.settings;
  const isTrusted = createAddressMatcher(trustedProxies);
  if (trustedProxies.some((range) => TOO_WIDE.test(range)) || SAMPLES.every(isTrusted)) {
    return problem(
      "TRUSTED_PROXIES trusts every client: with a forged X-Forwarded-For, an attacker bypasses the rate limit and appears in the log under any address",
      "set TRUSTED_PROXIES to the addresses of your proxies only",
    );
  }
  if (trustedProxies.length > 0) return ok(`TRUSTED_PROXIES is ${trustedProxies.join(", ")}`);
  const site = await installation.visitSite();
  // The gate itself sends neither header.
  const name = site?.login.headers.server ?? site?.login.headers.via;
  if (site === undefined || name === undefined) {
    return ok("no sign of a reverse proxy that is missing in TRUSTED_PROXIES");
  }
  return problem(
    `there is a proxy at ${site.url.origin} (${name}), but TRUSTED_PROXIES is empty: all clients share its address, and five wrong passwords a minute lock out everyone`,
    "set TRUSTED_PROXIES to the proxy's address, and have the proxy set X-Forwarded-For (see docs/proxies)",
  );
});

/** Checks whether a client with a whole IPv6 network gets more sign-in attempts than others. */
export const checkLimit: Check = createCheck(
  "limit",
  ["limitIpv6Prefix", ...REACH_FIELDS],
  async ({ settings, url }) => {
    const { limitIpv6Prefix } = settings;
    if (getReach(settings, url) === "this-machine") return undefined;
    if (limitIpv6Prefix < MAX_LIMIT_IPV6_PREFIX) {
      return ok(`the rate limit counts each IPv4 address and each IPv6 /${limitIpv6Prefix}`);
    }
    return hint(
      "each IPv6 address has its own rate limit, and one client usually has 2^64 of them: it can guess passwords without a limit, or block the sign-in for everyone",
      "set LIMIT_IPV6_PREFIX=64, unless clients reach the gate over IPv4 or a private network only",
    );
  },
);
