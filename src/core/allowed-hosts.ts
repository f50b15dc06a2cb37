import { isLoopbackHost } from "./loopback.ts";
import { isAtOrBelow } from "./return-target.ts";

/** In a list of allowed hosts: any host. */
const ANY_HOST = "*";

/** A parser also accepts `*` and `;`, which mean something else in a Content-Security-Policy. */
export const PLAIN_HOST: RegExp = /^([a-z\d._-]+|\[[\da-f:.]+\])$/;

/**
 * The hosts that requests may name. `loopback-setup` allows every host, except for the setup while
 * there is no account: until then only the hosts of this machine and of this installation reach it.
 */
export type AllowedHosts = readonly string[] | "loopback-setup";

export interface HostRule {
  /** As `canonicalHost` spells them. */
  readonly allowedHosts: AllowedHosts;
  /** Its host is always allowed. */
  readonly publicUrl: string | undefined;
  /** With `loopback-setup`, the domain and every host below it reach the setup as well. */
  readonly cookieDomain: string | undefined;
}

export const allowsAnyHost = (allowed: AllowedHosts): boolean =>
  allowed !== "loopback-setup" && allowed.includes(ANY_HOST);

/** `no-setup` refuses the setup while there is no account, and nothing else. */
export type HostVerdict = "allowed" | "no-setup" | "refused";

/**
 * Decides over the host that a request names, against DNS rebinding: a website whose name resolves
 * to this machine passes as same-origin, and only its name tells it apart.
 */
export function judgeHost(
  { allowedHosts, publicUrl, cookieDomain }: HostRule,
  host: string,
): HostVerdict {
  if (allowsAnyHost(allowedHosts)) return "allowed";
  const name = hostNameIn(host);
  const refusal = allowedHosts === "loopback-setup" ? "no-setup" : "refused";
  if (name === undefined) return refusal;
  if (publicUrl !== undefined && hostNameIn(new URL(publicUrl).host) === name) return "allowed";
  const isAllowed =
    allowedHosts === "loopback-setup"
      ? isLoopbackHost(name) || (cookieDomain !== undefined && isAtOrBelow(name, cookieDomain))
      : allowedHosts.includes(name);
  return isAllowed ? "allowed" : refusal;
}

/** The one spelling of an entry of a list; `undefined` for what is not a host, or has a port. */
export function canonicalHost(text: string): string | undefined {
  if (text === ANY_HOST) return text;
  // Outside of a Host header, an IPv6 address also stands without brackets.
  const host = /^[^[]*:.*:/.test(text) ? `[${text}]` : text;
  return /:\d*$/.test(host) ? undefined : hostNameIn(host);
}

/** The name in a Host header: lower case, without the port and without a dot at the end. */
function hostNameIn(host: string): string | undefined {
  const url = `http://${host}`;
  // Around these characters, a parser would read the host from elsewhere in the text.
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(url)) return undefined;
  const name = new URL(url).hostname.replace(/\.$/, "");
  return PLAIN_HOST.test(name) ? name : undefined;
}
