const GROUPS = 8;
const BITS_PER_GROUP = 16;

/**
 * The network that an address belongs to under a prefix length for IPv6, such as `2001:db8::/64`.
 * All spellings of an address give the same result. An IPv4 address, IPv4-mapped or not, is always
 * its own network. The zone of a link-local address stays: it tells links apart.
 *
 * @param ipv6Prefix From 0 to 128; with 128, an IPv6 address is its own network as well.
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

/** Lower case and hexadecimal throughout, unlike `SocketAddress`, which keeps some dotted tails. */
const compressedForm = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1);

/** The bits of the group that belong to the network. */
function maskOf(index: number, prefix: number): number {
  const bits = Math.min(Math.max(prefix - index * BITS_PER_GROUP, 0), BITS_PER_GROUP);
  return (0xffff << (BITS_PER_GROUP - bits)) & 0xffff;
}

function mappedIpv4(groups: readonly number[]): string | undefined {
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".") : undefined;
}
