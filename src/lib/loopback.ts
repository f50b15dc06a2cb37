import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Returns whether a host name or address is reachable only from this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(name);
  if (version === 0) return /^([^.]+\.)*localhost$/i.test(name);
  return loopback.check(name, version === 4 ? "ipv4" : "ipv6");
}
