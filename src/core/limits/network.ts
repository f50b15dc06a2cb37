const GROUPS = 8;
const BITS_PER_GROUP = 16;

/**
 * Returns the network of an address, such as `2001:db8::/64`, the same for all spellings of it. An
 * IPv4 address, also an IPv4-mapped one, is its own network. Keeps the zone of a link-local address,
 * which identifies the link.
 *
 * @param ipv6Prefix 0 to 128. With 128, each IPv6 address is its own network.
 */
export function networkOf(address: string, ipv6Prefix: number): string {
  const [ip = "", zone] = address.split("%");
  if (!isIpv6(ip)) return address;
  const groups = groupsOf(ip);
  const ipv4 = mappedIpv4(groups);
  if (ipv4 !== undefined) return ipv4;
  const network = compressed(groups.map((group, index) => group & maskOf(index, ipv6Prefix)));
  const suffix = ipv6Prefix === GROUPS * BITS_PER_GROUP ? "" : `/${ipv6Prefix}`;
  return `${network}${zone === undefined ? "" : `%${zone}`}${suffix}`;
}

const isIpv6 = (ip: string): boolean => /^[\da-f:.]+$/i.test(ip) && URL.canParse(`http://[${ip}]`);

function groupsOf(ip: string): readonly number[] {
  const [head = [], tail = []] = compressedForm(ip)
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

const compressed = (groups: readonly number[]): string =>
  compressedForm(groups.map((group) => group.toString(16)).join(":"));

/** Lower case and hexadecimal only, while `SocketAddress` keeps some dotted IPv4 endings. */
const compressedForm = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1);

/** The bits of a group that belong to the network. */
function maskOf(index: number, prefix: number): number {
  const bits = Math.min(Math.max(prefix - index * BITS_PER_GROUP, 0), BITS_PER_GROUP);
  return (0xffff << (BITS_PER_GROUP - bits)) & 0xffff;
}

function mappedIpv4(groups: readonly number[]): string | undefined {
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".") : undefined;
}
