import { BlockList, isIP, SocketAddress } from "node:net";
import type { Context } from "hono";
import { Fault } from "../../core/fault.ts";
import type { Client } from "../../core/requester.ts";
import { connectedFrom, isConnectionKnown } from "./connection.ts";

/** Which peers are proxies of ours, and what is believed of those. */
export interface ProxyTrust {
  /**
   * Who is at the other end. The address of the connection, unless that is a proxy which is
   * trusted: then the nearest hop in `X-Forwarded-For` that is not, read from the right, since only
   * what trusted hops have appended can be believed.
   */
  remoteAddress(c: Context): string;
  trusts(peer: string): boolean;
  /** A header that only a trusted proxy may set. */
  header(c: Context, name: string): string | undefined;
}

export function createProxyTrust(trustedProxies: readonly string[]): ProxyTrust {
  const isTrusted = membershipOf(trustedProxies);
  const peerOf = (c: Context): string => canonicalAddress(connectedFrom(c));
  return {
    remoteAddress(c) {
      const peer = peerOf(c);
      if (trustedProxies.length === 0 || !isTrusted(peer)) return peer;
      return nearestUntrusted(peer, c.req.header("x-forwarded-for") ?? "", isTrusted);
    },
    trusts: (peer) => isTrusted(canonicalAddress(peer)),
    header: (c, name) => (isTrusted(peerOf(c)) ? c.req.header(name) : undefined),
  };
}

/** For rules that also serve a client whose address the platform does not name. */
export const clientOf = (c: Context, proxies: ProxyTrust): Client => ({
  remoteAddress: isConnectionKnown(c) ? proxies.remoteAddress(c) : "unknown",
  signal: c.req.raw.signal,
});

/** Exported for its tests: the walk along the header, without a connection. */
export function nearestUntrusted(
  peer: string,
  forwardedFor: string,
  isTrusted: (address: string) => boolean,
): string {
  let nearest = peer;
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = addressIn(hop.trim());
    // Nonsense was written by nobody who is trusted: the hop that passed it on is as far as we see.
    if (address === undefined) return nearest;
    nearest = address;
    if (!isTrusted(address)) return nearest;
  }
  return nearest;
}

/** One spelling for each address: an IPv4 address in IPv6 dress is the IPv4 address. */
export function canonicalAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  return new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "");
}

/** A hop with or without a port, an IPv6 one with or without brackets. */
function addressIn(hop: string): string | undefined {
  const bare =
    /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
  return isIP(bare) === 0 ? undefined : canonicalAddress(bare);
}

export function membershipOf(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
  };
}

function addRange(list: BlockList, range: string): void {
  const [address = "", prefix, ...rest] = range.split("/");
  const version = isIP(address);
  const family = version === 6 ? "ipv6" : "ipv4";
  const bits = prefix === undefined ? undefined : Number(prefix);
  const fits =
    bits === undefined || (/^\d{1,3}$/.test(prefix ?? "") && bits <= (version === 6 ? 128 : 32));
  if (version === 0 || !fits || rest.length > 0) {
    throw new Fault(
      "invalid_option",
      `${range} is neither an IP address nor a range such as 10.0.0.0/8`,
    );
  }
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, bits, family);
}
