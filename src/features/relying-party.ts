import { getHost } from "../http/web-request.ts";
import type { Context } from "./context.ts";
import { findRelyingParty, type RelyingParty } from "./passkeys/relying-party.ts";

/** The site for which browsers keep passkeys, if they keep any there. */
export const getRelyingParty = ({ options, request }: Context): RelyingParty | undefined =>
  findRelyingParty(options.hosts, getHost(request));
