import { type HostRule, judgeHost } from "../../lib/allowed-hosts.ts";
import { parseHostName } from "../../lib/host-name.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";

/**
 * Describes what a passkey is bound to: a host, and the origins from which a browser may use it.
 */
export interface RelyingParty {
  /** This host name is the RP ID of WebAuthn. */
  readonly id: string;
  readonly origins: readonly string[];
}

/**
 * Finds the relying party of a request: from the public URL, or else from the Host header if that
 * host is allowed. Returns `undefined` where browsers have no passkeys: at an IP address, and over
 * plain HTTP except on the same machine.
 */
export function findRelyingParty(rule: HostRule, host: string): RelyingParty | undefined {
  if (rule.publicUrl !== undefined) return createRelyingParty([rule.publicUrl]);
  if (parseHostName(host) === undefined || judgeHost(rule, host) === "refused") return undefined;
  // Whether this request is encrypted does not matter, because a proxy may terminate TLS.
  return createRelyingParty([`https://${host}`, `http://${host}`]);
}

/**
 * Creates the relying party of one host.
 *
 * @param urls must all have the same host.
 */
function createRelyingParty(urls: readonly string[]): RelyingParty | undefined {
  const secure = urls
    .map((url) => new URL(url))
    .filter(({ protocol, hostname }) => protocol === "https:" || isLoopbackHost(hostname));
  const [first] = secure;
  // The URL parser writes every IPv4 address as four numbers, and every IPv6 address in brackets.
  if (first === undefined || /^(\d+(\.\d+){3}$|\[)/.test(first.hostname)) return undefined;
  return { id: first.hostname, origins: secure.map(({ origin }) => origin) };
}
