import { eventIn } from "../core/events.ts";
import { membershipOf } from "../web/request/remote-address.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";
import { type Installation, seenDatabase } from "./installation.ts";

/** Samples of the whole Internet: a setting that trusts all of them trusts every client. */
const ANYWHERE: readonly (readonly string[])[] = [
  ["1.1.1.1", "9.9.9.9", "81.2.69.142", "129.250.35.250", "203.0.113.7", "216.160.83.56"],
  ["2001:db8::7", "2400:cb00::1", "2600::1", "2a02:26f0::1"],
];

const isNear = membershipOf([
  ...["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"],
  ...["::1", "fc00::/7", "fe80::/10"],
]);

const NAME_IT =
  "set TRUSTED_PROXIES to the proxy's address, and have the proxy set X-Forwarded-For: docs/proxies shows how";

export const proxyCheck: Check = {
  name: "proxy",
  settings: ["TRUSTED_PROXIES", "DATABASE_URL", "DATA_DIR"],

  async look(installation) {
    const { trustedProxies } = installation.settings;
    if (trustedProxies.length === 0) {
      const unnamed = [...(await seenAtSite(installation)), ...(await seenInLog(installation))];
      return orOk(
        unnamed.slice(0, 1),
        "no sign of a reverse proxy that TRUSTED_PROXIES leaves out",
      );
    }
    const isTrusted = membershipOf(trustedProxies);
    const all = ANYWHERE.some((family) => family.every(isTrusted));
    return orOk(all ? [TRUSTS_ALL] : [], `TRUSTED_PROXIES names ${trustedProxies.join(", ")}`);
  },
};

const TRUSTS_ALL: Finding = problem(
  "TRUSTED_PROXIES trusts everybody: whoever writes X-Forwarded-For gets past the sign-in limit, and under any address into the log",
  "set TRUSTED_PROXIES to the addresses of your proxies alone",
);

async function seenAtSite(installation: Installation): Promise<readonly Finding[]> {
  const site = await installation.site();
  if (site === undefined || site.login.kind === "none") return [];
  const { server, via } = site.login.headers;
  const name = server ?? via;
  // The gate itself sends neither header.
  if (name === undefined) return [];
  return [
    problem(
      `there is a proxy at ${site.url.origin} (${name}), and TRUSTED_PROXIES is empty: everybody has its address, so five wrong passwords a minute lock out all`,
      NAME_IT,
    ),
  ];
}

async function seenInLog(installation: Installation): Promise<readonly Finding[]> {
  const database = await seenDatabase(installation);
  if (database === "missing" || database === "unknown") return [];
  const denials = database.contents?.denials ?? [];
  const addresses = new Set(
    denials.map((summary) => eventIn({ type: "signin_rate_limited", summary })?.subject ?? ""),
  );
  const [address = ""] = addresses;
  if (addresses.size !== 1 || !isNear(address)) return [];
  return [
    hint(
      `all denied sign-ins in the log came from ${address}, and TRUSTED_PROXIES is empty: if that is a proxy, everybody has its address, and five wrong passwords a minute lock out all`,
      NAME_IT,
    ),
  ];
}
