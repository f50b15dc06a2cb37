import { reachOf } from "../gate/reach.ts";
import { MAX_LIMIT_IPV6_PREFIX } from "../options.ts";
import type { Check } from "./check.ts";
import { hint, ok } from "./finding.ts";

/** Checks whether a client with a whole IPv6 network gets more sign-in attempts than others. */
export const limitCheck: Check = {
  name: "limit",
  settings: ["HOST", "PUBLIC_URL", "TRUSTED_PROXIES", "LIMIT_IPV6_PREFIX"],

  async look({ settings, url }) {
    const { limitIpv6Prefix } = settings;
    if (reachOf(settings, url) === "this-machine") return [];
    if (limitIpv6Prefix < MAX_LIMIT_IPV6_PREFIX) {
      return [ok(`sign-in attempts count for each IPv4 address and IPv6 /${limitIpv6Prefix}`)];
    }
    return [
      hint(
        "each IPv6 address has its own sign-in limit, and one client usually has 2^64 of them: it can guess passwords without a limit, or block the sign-in for everybody",
        "set LIMIT_IPV6_PREFIX=64, unless clients reach the gate over IPv4 or a private network only",
      ),
    ];
  },
};
