import { BlockList, isIP, SocketAddress } from "node:net";
import { memoize } from "../lib/bounded-memory.ts";
import type { Client } from "../lib/client.ts";
import { createClientGoneFault, Fault } from "../lib/fault.ts";
import type { WebRequest } from "./web-request.ts";

type Connected = Pick<WebRequest, "connection">;

/** A Unix domain socket has no address, so all its clients share this remote address. */
const LOCAL = "local";

/** Returns the remote address, or `undefined` if the platform does not provide it. */
export function getPeer({ connection }: Connected): string | undefined {
  // An app passes this value, so it may not have the declared type.
  const { remoteAddress }: { readonly remoteAddress?: unknown } = connection;
  // The address of a socket is already an IP address. A hop that an app passes can have a port.
  if (typeof remoteAddress === "string")
    return isIP(remoteAddress) === 0 ? (parseHop(remoteAddress) ?? remoteAddress) : remoteAddress;
  // Only a socket reports whether it is destroyed. A TCP socket would have a local address.
  const { destroyed, localAddress } = connection;
  return destroyed === false && localAddress === undefined ? LOCAL : undefined;
}

function requirePeer(request: Connected): string {
  const peer = getPeer(request);
  if (peer !== undefined) return peer;
  // A connection that was reset has only a local address until the server destroys it.
  const { destroyed, localAddress } = request.connection;
  if (destroyed === true || typeof localAddress === "string") throw createClientGoneFault();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is unknown: on Hono, serve the app with @hono/node-server, or pass the address to latchkey/fetch",
  );
}

/** Knows which peers are trusted proxies, and reads values that only a trusted proxy may set. */
export class ProxyTrust {
  readonly trusts: (peer: string) => boolean;

  constructor(trustedProxies: readonly string[]) {
    this.trusts = createAddressMatcher(trustedProxies);
  }

  /**
   * Returns the client's address: the address of the connection or, behind a trusted proxy, the
   * nearest hop in `X-Forwarded-For` that is not trusted. The header is read from the right,
   * because only entries that trusted hops append are reliable.
   */
  getRemoteAddress(request: WebRequest): string {
    let nearest = normalizeAddress(requirePeer(request));
    if (!this.trusts(nearest)) return nearest;
    for (const address of parseHops(request.header("x-forwarded-for") ?? "")) {
      // No trusted proxy writes an invalid address, so the hop that passed it on is the client.
      if (address === undefined) return nearest;
      nearest = address;
      if (!this.trusts(address)) return nearest;
    }
    return nearest;
  }

  /** Returns the client's address, or `unknown` if the connection is unknown. */
  getAddressOrUnknown(request: WebRequest): string {
    return getPeer(request) === undefined ? "unknown" : this.getRemoteAddress(request);
  }

  /** Returns a header, which counts only from a trusted proxy. */
  header(request: WebRequest, name: string): string | undefined {
    return this.trusts(requirePeer(request)) ? request.header(name) : undefined;
  }

  /** Describes the client for rules that also work without its address. */
  getClient(request: WebRequest): Client {
    return {
      remoteAddress: this.getAddressOrUnknown(request),
      userAgent: request.header("user-agent"),
      // Only forms wait for a password hash. A getter would be a new hidden class for each request,
      // which V8 frees late, together with the request.
      signal: request.method === "POST" ? request.signal : undefined,
    };
  }
}

/** This limit is higher than the length of any real chain of proxies. */
const MAX_HOPS = 32;

/**
 * Yields the nearest addresses in `X-Forwarded-For`, from the right, and `undefined` for an invalid
 * address.
 */
export function* parseHops(forwardedFor: string): Generator<string | undefined, void> {
  let rest = forwardedFor;
  for (let hop = 1; hop <= MAX_HOPS; hop += 1) {
    const comma = rest.lastIndexOf(",");
    yield parseHop(rest.slice(comma + 1).trim());
    if (comma === -1) return;
    rest = rest.slice(0, comma);
  }
}

/** Returns one spelling for each address. An IPv4-mapped IPv6 address becomes the IPv4 address. */
export function normalizeAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Returns the address of a hop, which may have a port and, for IPv6, brackets. */
function parseHop(hop: string): string | undefined {
  const bare =
    /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
  return isIP(bare) === 0 ? undefined : normalizeAddress(bare);
}

/**
 * Creates a function that checks whether an address is in one of the ranges. IPv4-mapped IPv6
 * addresses count as IPv4 addresses. `local` stands for Unix domain sockets.
 */
export function createAddressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, bits, family } of ranges.flatMap((range) => parseRange(range) ?? [])) {
    list.addSubnet(address, bits, family);
  }
  // Behind a proxy, nearly all requests have the same address.
  return memoize(MAX_KNOWN_ADDRESSES, (address) => {
    if (address === LOCAL) return ranges.includes(LOCAL);
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
  });
}

const MAX_KNOWN_ADDRESSES = 100;

/** Returns whether the text is an IP address, a range of addresses, or `local`. */
export const isAddressRange = (text: string): boolean =>
  text === LOCAL || parseRange(text) !== undefined;

function parseRange(text: string) {
  const [, address = "", prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const maxBits = version === 6 ? 128 : 32;
  const bits = Number(prefix ?? maxBits);
  if (version === 0 || bits > maxBits) return undefined;
  return { address, bits, family: version === 6 ? "ipv6" : "ipv4" } as const;
}
