import type { UserId } from "../db/records.ts";
import { type Client, getClientNetwork } from "../lib/client.ts";
import type { Requester } from "../lib/work-queue.ts";

/** For requests without a session: turns and shares by network. */
export function createNetworkRequester({ remoteAddress, signal }: Client): Requester {
  const network = getClientNetwork(remoteAddress);
  return { turn: network, shares: [network], signal };
}

/** For requests with a session: turns by user, shares by user and by network. */
export function createUserRequester({ remoteAddress, signal }: Client, id: UserId): Requester {
  const user = `user ${id}`;
  return { turn: user, shares: [user, getClientNetwork(remoteAddress)], signal };
}

/**
 * For setups: turns by network. They have no share, since no account can sign in yet, and every
 * client that loses the race for the first account must learn that it exists.
 */
export function createSetupRequester({ remoteAddress, signal }: Client): Requester {
  return { turn: getClientNetwork(remoteAddress), shares: [], signal };
}

/** The operator at the command line. */
export const OPERATOR: Requester = { turn: "operator", shares: [] };
