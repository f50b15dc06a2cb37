import { parseDeviceName } from "./device-name.ts";
import { getNetwork } from "./network.ts";

/** The smallest IPv6 network that providers assign to a client. */
const CLIENT_PREFIX_LENGTH = 64;

/** The sender of a request, as far as the rules need it. */
export interface Client {
  readonly remoteAddress: string;
  readonly userAgent?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** What sessions and entries of the audit log record of a client. */
export const describeClient = (
  client: Client,
): { readonly address: string; readonly device: string } => ({
  address: client.remoteAddress,
  device: parseDeviceName(client.userAgent),
});

/** The IPv4 address or the IPv6 network of a client. */
export const getClientNetwork = (remoteAddress: string): string =>
  getNetwork(remoteAddress, CLIENT_PREFIX_LENGTH);
