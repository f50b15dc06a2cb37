import { REACH_FIELDS, reachOf } from "../gate/reach.ts";
import { MAX_LIMIT_IPV6_PREFIX } from "../option-table.ts";
import { membershipOf } from "../web/request/remote-address.ts";
import { type Check, checkOf, type Finding, hint, ok, problem } from "./check.ts";
import { contentsOf, type Installation } from "./installation.ts";

/** No network of one owner is that large: `fc00::/7` is the largest private one. */
const TOO_WIDE = /\/[0-6]$/;

const isPrivate = membershipOf([
  ...["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"],
  ...["::1", "fc00::/7", "fe80::/10"],
]);

export const checkProxy: Check = checkOf(
  "proxy",
  ["trustedProxies", "database"],
  async (installation) => {
    const { trustedProxies } = installation.settings;
    if (trustedProxies.length === 0) {
      const sign = (await signAtSite(installation)) ?? (await signInLog(installation));
      return sign ?? ok("no sign of a reverse proxy that is missing in TRUSTED_PROXIES");
    }
    if (trustedProxies.some((range) => TOO_WIDE.test(range))) {
      return problem(
        "TRUSTED_PROXIES trusts every client: with a forged X-Forwarded-For, an attacker bypasses the rate limit and appears in the log under any address",
        "set TRUSTED_PROXIES to the addresses of your proxies only",
      );
    }
    return ok(`TRUSTED_PROXIES is ${trustedProxies.join(", ")}`);
  },
);

const SHARED_LIMIT =
  "all clients share its address, and five wrong passwords a minute lock out everyone";
const REMEDY =
  "set TRUSTED_PROXIES to the proxy's address, and have the proxy set X-Forwarded-For (see docs/proxies)";

async function signAtSite(installation: Installation<never>): Promise<Finding | undefined> {
  const site = await installation.site();
  // The gate itself sends neither header.
  const name = site?.login.headers.server ?? site?.login.headers.via;
  if (site === undefined || name === undefined) return undefined;
  const found = `there is a proxy at ${site.url.origin} (${name}), but TRUSTED_PROXIES is empty`;
  return problem(`${found}: ${SHARED_LIMIT}`, REMEDY);
}

async function signInLog(installation: Installation<"database">): Promise<Finding | undefined> {
  const denials = (await contentsOf(installation))?.denials ?? [];
  const addresses = new Set(denials);
  const [address = ""] = addresses;
  if (addresses.size !== 1 || !isPrivate(address)) return undefined;
  const found = `all denied sign-ins in the log came from ${address}, and TRUSTED_PROXIES is empty`;
  return hint(`${found}: if that is a proxy, ${SHARED_LIMIT}`, REMEDY);
}

/** Checks whether a client with a whole IPv6 network gets more sign-in attempts than others. */
export const checkLimit: Check = checkOf(
  "limit",
  ["limitIpv6Prefix", ...REACH_FIELDS],
  async ({ settings, url }) => {
    const { limitIpv6Prefix } = settings;
    if (reachOf(settings, url) === "this-machine") return undefined;
    if (limitIpv6Prefix < MAX_LIMIT_IPV6_PREFIX) {
      return ok(`the rate limit counts each IPv4 address and each IPv6 /${limitIpv6Prefix}`);
    }
    return hint(
      "each IPv6 address has its own rate limit, and one client usually has 2^64 of them: it can guess passwords without a limit, or block the sign-in for everyone",
      "set LIMIT_IPV6_PREFIX=64, unless clients reach the gate over IPv4 or a private network only",
    );
  },
);
