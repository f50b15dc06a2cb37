import { isLoopbackHost } from "../core/loopback.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { Store } from "../core/store.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";

/** Whether other machines can reach the gate, according to the settings and an optional URL. */
export function reachOf(
  { host, publicUrl, trustedProxies }: Settings,
  url?: URL,
): "this-machine" | "others" {
  const urls = [publicUrl === undefined ? undefined : new URL(publicUrl), url];
  const hosts = [host, ...urls.flatMap((one) => one?.hostname ?? [])];
  return trustedProxies.length === 0 && hosts.every(isLoopbackHost) ? "this-machine" : "others";
}

/** The scheme on PORT, which stays plain HTTP beside an HTTPS_PORT. */
export const schemeOf = ({ httpsPort, tlsCertFile }: Settings): "http" | "https" =>
  tlsCertFile !== undefined && httpsPort === undefined ? "https" : "http";

/** Where this machine reaches the gate. */
export function localUrl(settings: Settings): URL {
  const host = connectableHost(settings.host);
  return new URL(`${schemeOf(settings)}://${inUrl(host)}:${settings.port}`);
}

/** The address to connect to for a listen address: 0.0.0.0 and :: include loopback. */
export function connectableHost(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}

/** An IPv6 address has brackets in a URL. */
export const inUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** `token`: creating the first account takes the setup token. */
export type SetupState = "done" | "token" | "open";

/** A temporary read error counts as a token, because setup then refuses every request. */
export async function setupState(store: Store, setupToken: SetupTokenSource): Promise<SetupState> {
  if (await store.hasUsers()) return "done";
  const isRequired = await setupToken.read().then(isSetupTokenExpected, () => true);
  return isRequired ? "token" : "open";
}

/** Warns while anyone on another machine can create the first account. */
export function warnOfOpenSetup(state: SetupState, settings: Settings, log: GateLog): void {
  if (state !== "open" || reachOf(settings) === "this-machine") return;
  log.warn(
    {},
    "no account yet, and anyone who can reach this server can create it: run `latchkey setup-link` to require a token",
  );
}

/** While there is no account, logs where to create it, and for which host names that works. */
export function reportSetup(
  state: SetupState,
  settings: Settings,
  url: string,
  log: GateLog,
): void {
  if (state === "done") return;
  const how = state === "token" ? " with the setup token" : "";
  log.info({}, `No account yet. Open ${settings.publicUrl ?? url}/setup${how} to create it.`);
  if (isLoopbackHost(settings.host) && settings.allowedHosts === "loopback-setup") {
    log.info({}, setupHostsIn(settings));
  }
}

function setupHostsIn({ publicUrl, cookieDomain }: Settings): string {
  const own = [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...(cookieDomain === undefined ? [] : [cookieDomain, `*.${cookieDomain}`]),
  ].map((host) => `, ${host}`);
  return `Until then, setup answers for localhost and loopback addresses${own.join("")}. To allow other host names, set PUBLIC_URL or ALLOWED_HOSTS.`;
}
