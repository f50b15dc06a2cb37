import { allowsAnyHost } from "../core/allowed-hosts.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import type { Check } from "./check.ts";
import { advice, broken, type Finding, orFine } from "./finding.ts";
import { type Patient, seenDatabase } from "./patient.ts";
import { type Site, statusOf } from "./site.ts";

export const hostsCheck: Check = {
  name: "hosts",
  settings: ["HOST", "ALLOWED_HOSTS", "DATA_DIR", "DATABASE_URL"],

  async look(patient) {
    const site = await patient.site();
    return orFine(
      [...(site === undefined ? [] : refusalIn(site)), ...(await rebindingIn(patient))],
      allowedIn(patient.settings),
    );
  },
};

function allowedIn({ allowedHosts }: Patient["settings"]): string {
  if (allowedHosts === "loopback-setup") {
    return "any host name is allowed, except for the setup while there is no account";
  }
  if (allowsAnyHost(allowedHosts)) return "any host name is allowed";
  return `ALLOWED_HOSTS allows ${allowedHosts.join(", ")}`;
}

function refusalIn({ url, login, setup }: Site): readonly Finding[] {
  if (statusOf(login) === MISDIRECTED) {
    return [
      broken(
        `requests for ${url.host} get 421: ALLOWED_HOSTS does not allow this host name`,
        `add ${url.hostname} to ALLOWED_HOSTS, or have the proxy pass on the header Host`,
      ),
    ];
  }
  if (statusOf(setup) !== MISDIRECTED) return [];
  return [
    broken(
      `there is no account yet, and the setup at ${url.host} gets 421: on loopback, only known host names reach it`,
      `set PUBLIC_URL to ${url.origin}, or add ${url.hostname} to ALLOWED_HOSTS`,
    ),
  ];
}

/** On loopback, only the host name keeps websites that a browser on this machine opens away. */
async function rebindingIn(patient: Patient): Promise<readonly Finding[]> {
  const { host, allowedHosts } = patient.settings;
  if (!isLoopbackHost(host) || !allowsAnyHost(allowedHosts)) return [];
  const database = await seenDatabase(patient);
  if (database === "unknown") return [];
  if (database !== "missing" && database.contents?.hasUsers !== false) return [];
  return [
    advice(
      "there is no account yet, and ALLOWED_HOSTS is *: a website can reach the setup through DNS rebinding",
      "name the hosts in ALLOWED_HOSTS, or leave it unset",
    ),
  ];
}

const MISDIRECTED = 421;
