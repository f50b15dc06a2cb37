import { createKeyPem, parseAccountKey } from "../../../../src/gate/https/acme/keys.ts";
import {
  type AcmeRequests,
  openAccount,
  type Authority as RealAuthority,
} from "../../../../src/gate/https/acme/requests.ts";
import { AUTHORITY_CA, type Authority } from "./authority.ts";

export const NAME = "home.example.org";
export const KEY: string = createKeyPem();

/** Signed requests to a test authority. */
export const requestsTo = (
  { directoryUrl }: Pick<Authority, "directoryUrl">,
  { ca = [AUTHORITY_CA], stop = new AbortController().signal }: Partial<RealAuthority> = {},
): Promise<AcmeRequests> => openAccount({ directoryUrl, ca, stop }, parseAccountKey(KEY));
