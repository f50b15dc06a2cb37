import { getHost } from "../http/web-request.ts";
import type { Context } from "./context.ts";
import { findRelyingParty, type RelyingParty } from "./passkeys/relying-party.ts";

interface FoundParty {
  readonly host: string;
  readonly party: RelyingParty | undefined;
}

/** The home page asks each time, and finding a relying party parses up to four URLs. */
const latest = new WeakMap<Context["options"]["hosts"], FoundParty>();

/**
 * Returns the relying party for passkeys on this host, or `undefined` if browsers allow no passkeys
 * here.
 */
export function getRelyingParty({
  options: { hosts },
  request,
}: Context): RelyingParty | undefined {
  const host = getHost(request);
  let found = latest.get(hosts);
  if (found?.host !== host) {
    found = { host, party: findRelyingParty(hosts, host) };
    latest.set(hosts, found);
  }
  return found.party;
}
