import { getHost } from "../http/web-request.ts";
import type { Context } from "./context.ts";
import { findRelyingParty, type RelyingParty } from "./passkeys/relying-party.ts";

/**
 * Returns the relying party for passkeys on this host, or `undefined` if browsers allow no passkeys
 * here.
 */
export const getRelyingParty = ({ options, request }: Context): RelyingParty | undefined =>
  findRelyingParty(options.hosts, getHost(request));
