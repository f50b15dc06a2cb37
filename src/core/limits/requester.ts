import type { Session, UserId } from "../../db/records.ts";
import { deviceName } from "../base/device-name.ts";
import type { Requester } from "../base/work-queue.ts";
import { networkOf } from "./network.ts";

/** The smallest IPv6 network that providers assign to a client. */
const IPV6_NETWORK = 64;

/** The sender of a request, as far as the rules need it. */
export interface Client {
  readonly remoteAddress: string;
  readonly userAgent?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** What the store keeps of a client. */
export const clientFacts = (client: Client): Pick<Session, "address" | "device"> => ({
  address: client.remoteAddress,
  device: deviceName(client.userAgent),
});

/** The IPv4 address or the IPv6 network of a client. */
export const clientNetwork = (remoteAddress: string): string =>
  networkOf(remoteAddress, IPV6_NETWORK);

/** For requests without a session: turns and shares by network. */
export function networkRequester({ remoteAddress, signal }: Client): Requester {
  const network = clientNetwork(remoteAddress);
  return { turn: network, shares: [network], signal };
}

/** For requests with a session: turns by user, shares by user and by network. */
export function userRequester({ remoteAddress, signal }: Client, id: UserId): Requester {
  const user = `user ${id}`;
  return { turn: user, shares: [user, clientNetwork(remoteAddress)], signal };
}

/**
 * For setups: turns by network. They have no share, since no account can sign in yet, and every
 * client that loses the race for the first account must learn that it exists.
 */
export function setupRequester({ remoteAddress, signal }: Client): Requester {
  return { turn: clientNetwork(remoteAddress), shares: [], signal };
}

/** The operator at the command line. */
export const OPERATOR: Requester = { turn: "operator", shares: [] };
