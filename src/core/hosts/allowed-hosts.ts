import { isLoopbackHost } from "../base/loopback.ts";
import { isAtOrBelow } from "./return-target.ts";

const ANY_HOST = "*";

/** Stricter than a URL parser, which accepts `*` and `;`: a Content-Security-Policy interprets those. */
export const PLAIN_HOST: RegExp = /^([a-z\d._-]+|\[[\da-f:.]+\])$/;

/**
 * The hosts that requests may name. `loopback-setup` allows every host, but while no account exists
 * only loopback names and the installation's own hosts reach the setup.
 */
export type AllowedHosts = readonly string[] | "loopback-setup";

export interface HostRule {
  /** In the form that `canonicalHost` returns. */
  readonly allowed: AllowedHosts;
  /** The host of this URL is always allowed. */
  readonly publicUrl: string | undefined;
  /** With `loopback-setup`, this domain and every host below it also reach the setup. */
  readonly cookieDomain: string | undefined;
}

export const allowsAnyHost = (allowed: AllowedHosts): boolean =>
  allowed !== "loopback-setup" && allowed.includes(ANY_HOST);

/** `no-setup` refuses only the setup, and only while no account exists. */
export type HostVerdict = "allowed" | "no-setup" | "refused";

/**
 * Judges the Host header of a request. Protects against DNS rebinding: requests of a website whose
 * name resolves to this machine are same-origin, and only their Host shows it.
 */
export function judgeHost(
  { allowed, publicUrl, cookieDomain }: HostRule,
  host: string,
): HostVerdict {
  if (allowsAnyHost(allowed)) return "allowed";
  const name = hostNameIn(host);
  const refusal = allowed === "loopback-setup" ? "no-setup" : "refused";
  if (name === undefined) return refusal;
  if (publicUrl !== undefined && hostNameIn(new URL(publicUrl).host) === name) return "allowed";
  const isAllowed =
    allowed === "loopback-setup"
      ? isLoopbackHost(name) || (cookieDomain !== undefined && isAtOrBelow(name, cookieDomain))
      : allowed.includes(name);
  return isAllowed ? "allowed" : refusal;
}

/** Normalises an entry of an allowed-hosts list; `undefined` for an invalid host or one with a port. */
export function canonicalHost(text: string): string | undefined {
  if (text === ANY_HOST) return text;
  // In a list, an IPv6 address may be written without brackets.
  const host = /^[^[]*:.*:/.test(text) ? `[${text}]` : text;
  return /:\d*$/.test(host) ? undefined : parseHost(host);
}

/**
 * The name in a Host header, in lower case, without port and trailing dot. `undefined` for a host of
 * which the URL parser makes another name, such as `photos%2eexample.org` or one with a soft hyphen:
 * a proxy has chosen by the host as it was sent.
 */
export function hostNameIn(host: string): string | undefined {
  const name = parseHost(host);
  const sent = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  return name === sent ? name : undefined;
}

function parseHost(host: string): string | undefined {
  // With these characters, a URL parser would take another part of the text as the host.
  if (/[\s/\\?#@]/.test(host)) return undefined;
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, "");
  return name !== undefined && PLAIN_HOST.test(name) ? name : undefined;
}
