import { allowsAnyHost } from "../core/allowed-hosts.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";
import { type Installation, seenDatabase } from "./installation.ts";
import { type Site, statusOf } from "./site.ts";

export const hostsCheck: Check = {
  name: "hosts",
  settings: ["HOST", "ALLOWED_HOSTS", "DATA_DIR", "DATABASE_URL"],

  async look(installation) {
    const site = await installation.site();
    return orOk(
      [...(site === undefined ? [] : refusalIn(site)), ...(await rebindingIn(installation))],
      allowedIn(installation.settings),
    );
  },
};

function allowedIn({ allowedHosts }: Installation["settings"]): string {
  if (allowedHosts === "loopback-setup") {
    return "any host name is allowed, except for the setup while there is no account";
  }
  if (allowsAnyHost(allowedHosts)) return "any host name is allowed";
  return `ALLOWED_HOSTS allows ${allowedHosts.join(", ")}`;
}

function refusalIn({ url, login, setup }: Site): readonly Finding[] {
  if (statusOf(login) === MISDIRECTED) {
    return [
      problem(
        `requests for ${url.host} get 421: ALLOWED_HOSTS does not allow this host name`,
        `add ${url.hostname} to ALLOWED_HOSTS, or have the proxy pass on the header Host`,
      ),
    ];
  }
  if (statusOf(setup) !== MISDIRECTED) return [];
  return [
    problem(
      `there is no account yet, and the setup at ${url.host} gets 421: on loopback, only known host names reach it`,
      `set PUBLIC_URL to ${url.origin}, or add ${url.hostname} to ALLOWED_HOSTS`,
    ),
  ];
}

/** DNS rebinding: on loopback, only the host name check keeps out websites in a local browser. */
async function rebindingIn(installation: Installation): Promise<readonly Finding[]> {
  const { host, allowedHosts } = installation.settings;
  if (!isLoopbackHost(host) || !allowsAnyHost(allowedHosts)) return [];
  const database = await seenDatabase(installation);
  if (database === "unknown") return [];
  if (database !== "missing" && database.contents?.hasUsers !== false) return [];
  return [
    hint(
      "there is no account yet, and ALLOWED_HOSTS is *: a website can reach the setup through DNS rebinding",
      "name the hosts in ALLOWED_HOSTS, or leave it unset",
    ),
  ];
}

const MISDIRECTED = 421;
