import { isLoopbackHost } from "../lib/loopback.ts";
import type { Settings } from "./settings/settings.ts";

export const REACH_FIELDS = [
  "host",
  "publicUrl",
  "cookieDomain",
  "trustedProxies",
  "httpsPort",
  "tlsCertFile",
] as const;

type ReachField = (typeof REACH_FIELDS)[number];

/**
 * Returns whether other machines can reach the gate, according to the settings and an optional URL.
 */
export function getReach(
  settings: Pick<Settings, ReachField>,
  url?: URL,
): "this-machine" | "others" {
  const isHere = url === undefined || isLoopbackHost(url.hostname);
  return isHere && findReachFields(settings).length === 0 ? "this-machine" : "others";
}

/** Returns the settings according to which other machines can reach the gate. */
export function findReachFields(settings: Pick<Settings, ReachField>): readonly ReachField[] {
  const { host, publicUrl, cookieDomain, trustedProxies, httpsPort, tlsCertFile } = settings;
  const isOther = (name: string | undefined): boolean =>
    name !== undefined && !isLoopbackHost(name);
  const fields = [
    isOther(host) && "host",
    isOther(publicUrl && new URL(publicUrl).hostname) && "publicUrl",
    isOther(cookieDomain) && "cookieDomain",
    trustedProxies.length > 0 && "trustedProxies",
    // An automatic certificate is for a domain, and the authority reaches the gate at that domain.
    httpsPort !== undefined && tlsCertFile === undefined && "httpsPort",
  ] as const;
  return fields.filter((field) => field !== false);
}

/** Returns the scheme on PORT, which stays plain HTTP if HTTPS_PORT is set too. */
export const getScheme = ({
  httpsPort,
  tlsCertFile,
}: Pick<Settings, "httpsPort" | "tlsCertFile">): "http" | "https" =>
  tlsCertFile !== undefined && httpsPort === undefined ? "https" : "http";

export const LOCAL_FIELDS = ["host", "port", "httpsPort", "tlsCertFile"] as const;

/** Returns the URL at which this machine reaches the gate. */
export function getLocalUrl(settings: Pick<Settings, (typeof LOCAL_FIELDS)[number]>): URL {
  const host = toConnectableHost(settings.host);
  return new URL(`${getScheme(settings)}://${formatUrlHost(host)}:${settings.port}`);
}

/**
 * Tells what to do if no gate responds. A command only knows the settings that it receives itself.
 */
export const ADDRESS_REMEDY =
  "start the gate; if it runs, write its HOST, PORT, HTTPS_PORT and TLS_CERT_FILE into the file of --env-file, not into the unit or its command line";

/** Returns the address to connect to for a listen address. 0.0.0.0 and :: include loopback. */
export function toConnectableHost(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

/** Adds the brackets that an IPv6 address has in a URL. */
export const formatUrlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);
