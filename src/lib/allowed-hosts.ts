import { ANY_HOST, parseHostName } from "./host-name.ts";
import { isLoopbackHost } from "./loopback.ts";
import { isAtOrBelow } from "./return-target.ts";

/**
 * Lists the hosts that requests may name. `loopback-setup` allows every host, but while no account
 * exists, only loopback names and the installation's own hosts reach the setup.
 */
export type AllowedHosts = readonly string[] | "loopback-setup";

export interface HostRule {
  /** The hosts have the form that `normalizeHost` returns. */
  readonly allowed: AllowedHosts;
  /** The host of this URL is always allowed. */
  readonly publicUrl: string | undefined;
  /** With `loopback-setup`, this domain and every host below it also reach the setup. */
  readonly cookieDomain: string | undefined;
}

export const allowsAnyHost = (allowed: AllowedHosts): boolean =>
  allowed !== "loopback-setup" && allowed.includes(ANY_HOST);

/** The verdict `no-setup` refuses only the setup, and only while no account exists. */
export type HostVerdict = "allowed" | "no-setup" | "refused";

/**
 * Judges the Host header of a request. The check protects against DNS rebinding: a website whose
 * name resolves to this machine sends same-origin requests, and only their Host header reveals the
 * website.
 */
export function judgeHost(
  { allowed, publicUrl, cookieDomain }: HostRule,
  host: string,
): HostVerdict {
  if (allowsAnyHost(allowed)) return "allowed";
  const name = parseHostName(host);
  const refusal = allowed === "loopback-setup" ? "no-setup" : "refused";
  if (name === undefined) return refusal;
  if (publicUrl !== undefined && parseHostName(new URL(publicUrl).host) === name) return "allowed";
  const isAllowed =
    allowed === "loopback-setup"
      ? isLoopbackHost(name) || (cookieDomain !== undefined && isAtOrBelow(name, cookieDomain))
      : allowed.includes(name);
  return isAllowed ? "allowed" : refusal;
}
