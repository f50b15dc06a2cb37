const BITS = 128;
const BITS_PER_GROUP = 16n;

/**
 * Returns the network of an address, such as `2001:db8::/64`, the same for all spellings of the
 * address. An IPv4 address, also an IPv4-mapped one, is its own network. Keeps the zone of a
 * link-local address, which identifies the link.
 *
 * @param ipv6Prefix 0 to 128. With 128, each IPv6 address is its own network.
 */
export function getNetwork(address: string, ipv6Prefix: number): string {
  const [ip = "", zone] = address.split("%");
  if (!isIpv6(ip)) return address;
  const bits = parseBits(ip);
  if (bits >> 32n === 0xffffn) return formatIpv4(Number(bits & 0xffff_ffffn));
  const rest = BigInt(BITS - ipv6Prefix);
  const groups = ((bits >> rest) << rest).toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  const suffix = ipv6Prefix === BITS ? "" : `/${ipv6Prefix}`;
  return `${compressIpv6(groups.join(":"))}${zone === undefined ? "" : `%${zone}`}${suffix}`;
}

const isIpv6 = (ip: string): boolean => /^[\da-f:.]+$/i.test(ip) && URL.canParse(`http://[${ip}]`);

/**
 * Writes an address in lower case and hexadecimal only, while `SocketAddress` keeps some dotted
 * IPv4 endings.
 */
const compressIpv6 = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1);

function parseBits(ip: string): bigint {
  const [head = [], tail = []] = compressIpv6(ip)
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].reduce(
    (bits, group) => (bits << BITS_PER_GROUP) | BigInt(`0x${group}`),
    0n,
  );
}

const formatIpv4 = (bits: number): string =>
  [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
