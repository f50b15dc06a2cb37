import { parseDeviceName } from "./device-name.ts";
import { getNetwork } from "./network.ts";

/** Providers assign an IPv6 network of at least this size to each client. */
const CLIENT_PREFIX_LENGTH = 64;

/** Describes the sender of a request, as far as features need it. */
export interface Client {
  readonly remoteAddress: string;
  readonly userAgent?: string | undefined;
  /** The signal aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns what sessions and audit log entries record about a client. */
export const describeClient = (
  client: Client,
): { readonly address: string; readonly device: string } => ({
  address: client.remoteAddress,
  device: parseDeviceName(client.userAgent),
});

/** Returns the IPv4 address or the IPv6 network of a client. */
export const getClientNetwork = (remoteAddress: string): string =>
  getNetwork(remoteAddress, CLIENT_PREFIX_LENGTH);
