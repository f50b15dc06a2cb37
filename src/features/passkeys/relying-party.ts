import { type HostRule, judgeHost } from "../../lib/allowed-hosts.ts";
import { parseHostName } from "../../lib/host-name.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";

/** What a passkey is bound to: a host, and the origins from which a browser may use it. */
export interface RelyingParty {
  /** The RP ID of WebAuthn: the host name. */
  readonly id: string;
  readonly origins: readonly string[];
}

/**
 * The relying party of a request: that of the public URL, otherwise of the Host header, if that host
 * is allowed. `undefined` where browsers have no passkeys: at an IP address, and over plain HTTP
 * except on the same machine.
 */
export function findRelyingParty(rule: HostRule, host: string): RelyingParty | undefined {
  if (rule.publicUrl !== undefined) return createRelyingParty([rule.publicUrl]);
  if (parseHostName(host) === undefined || judgeHost(rule, host) === "refused") return undefined;
  // Not whether this request is encrypted: a proxy may end TLS.
  return createRelyingParty([`https://${host}`, `http://${host}`]);
}

/** @param urls Of one host. */
function createRelyingParty(urls: readonly string[]): RelyingParty | undefined {
  const secure = urls
    .map((url) => new URL(url))
    .filter(({ protocol, hostname }) => protocol === "https:" || isLoopbackHost(hostname));
  const [first] = secure;
  // The parser writes every IPv4 address as four numbers, and IPv6 in brackets.
  if (first === undefined || /^(\d+(\.\d+){3}$|\[)/.test(first.hostname)) return undefined;
  return { id: first.hostname, origins: secure.map(({ origin }) => origin) };
}
