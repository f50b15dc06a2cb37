import { type AllowedHosts, allowsAnyHost } from "../core/hosts/allowed-hosts.ts";
import { isLoopbackHost } from "../core/hosts/loopback.ts";
import { type Check, checkOf, type Finding, hint, orOk, problem } from "./check.ts";
import { contentsOf, type Installation } from "./installation.ts";
import type { Site } from "./site.ts";

export const checkHosts: Check = checkOf(
  "hosts",
  ["host", "allowedHosts", "database"],
  async (installation) => {
    const site = await installation.site();
    return orOk(
      [site && refusalFinding(site), await rebindingFinding(installation)],
      allowedText(installation.settings.allowedHosts),
    );
  },
);

function allowedText(allowedHosts: AllowedHosts): string {
  if (allowedHosts === "loopback-setup") {
    return "any host name is allowed, except for setup while no account exists";
  }
  if (allowsAnyHost(allowedHosts)) return "any host name is allowed";
  return `ALLOWED_HOSTS allows ${allowedHosts.join(", ")}`;
}

const MISDIRECTED = 421;

function refusalFinding({ url, login, setup }: Site): Finding | undefined {
  if (login.status === MISDIRECTED) {
    return problem(
      `requests for ${url.host} get 421: ALLOWED_HOSTS does not allow this host name`,
      `add ${url.hostname} to ALLOWED_HOSTS, or have the proxy pass on the Host header`,
    );
  }
  if (setup.status !== MISDIRECTED) return undefined;
  return problem(
    `no account yet, and setup at ${url.host} returns 421: on loopback, only known host names reach it`,
    `set PUBLIC_URL to ${url.origin}, or add ${url.hostname} to ALLOWED_HOSTS`,
  );
}

/** DNS rebinding: on loopback, only the host name check keeps out websites in a local browser. */
async function rebindingFinding(
  installation: Installation<"host" | "allowedHosts" | "database">,
): Promise<Finding | undefined> {
  const { host, allowedHosts } = installation.settings;
  if (!isLoopbackHost(host) || !allowsAnyHost(allowedHosts)) return undefined;
  if ((await contentsOf(installation))?.hasUsers !== false) return undefined;
  return hint(
    "no account yet, and ALLOWED_HOSTS is *: a website can reach setup through DNS rebinding",
    "list the host names in ALLOWED_HOSTS, or leave it unset",
  );
}
