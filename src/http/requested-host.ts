import { createBoundedMemory } from "../lib/bounded-memory.ts";
import { parseHostName } from "../lib/host-name.ts";
import { getPeer, normalizeAddress, type ProxyTrust } from "./remote-address.ts";
import type { WebRequest } from "./web-request.ts";

/** This is enough for a DNS name with a port. */
const MAX_LENGTH = 260;
/** The memory cannot store `undefined`. No host has an empty name. */
const UNREADABLE = "";

/** The name depends on the text alone, so an entry is never too old. */
const namesByHost = createBoundedMemory<string, string>(1_024);

/**
 * Returns the name of the host that the client requested. Returns `undefined` if the name is not
 * certain. Runs on every guarded request once an app has a host.
 */
export function readRequestedHostName(
  proxies: ProxyTrust,
  request: WebRequest,
): string | undefined {
  const host = request.header("host");
  const forwarded = request.header("x-forwarded-host");
  // Most proxies send the same host in both headers. It then does not matter who sent them.
  if (forwarded === undefined || forwarded === host) return parseName(host);
  const peer = getPeer(request);
  if (peer !== undefined && proxies.trusts(normalizeAddress(peer))) return parseName(forwarded);
  // The peer can be a proxy that is missing in `TRUSTED_PROXIES`, and `Host` the gate's address.
  const name = parseName(host);
  return name === parseName(forwarded) ? name : undefined;
}

/** Returns the text of the host that cannot be read, for the server log. */
export const quoteRequestedHost = (request: WebRequest): string =>
  (request.header("x-forwarded-host") ?? request.header("host") ?? "").slice(0, MAX_LENGTH);

function parseName(host: string | undefined): string | undefined {
  if (host === undefined || host.length > MAX_LENGTH) return undefined;
  const known = namesByHost.get(host);
  if (known !== undefined) return known === UNREADABLE ? undefined : known;
  const parsed = parseHostName(host);
  // The name of `example.org..` still ends with a dot, which a proxy may ignore.
  const name = parsed === undefined || /^\.|\.\.|\.$/.test(parsed) ? UNREADABLE : parsed;
  namesByHost.set(host, name);
  return name === UNREADABLE ? undefined : name;
}
