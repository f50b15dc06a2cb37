import type { UserId } from "../db/records.ts";
import { type Client, getClientNetwork } from "../lib/client.ts";
import type { Requester } from "../lib/work-queue.ts";

/** Creates the requester for requests without a session. Turns and shares are by network. */
export function createNetworkRequester({ remoteAddress, signal }: Client): Requester {
  const network = getClientNetwork(remoteAddress);
  return { turn: network, shares: [network], signal };
}

/**
 * Creates the requester for requests with a session. Turns are by user; shares are by user and by
 * network.
 */
export function createUserRequester({ remoteAddress, signal }: Client, id: UserId): Requester {
  const user = `user ${id}`;
  return { turn: user, shares: [user, getClientNetwork(remoteAddress)], signal };
}

/**
 * Creates the requester for setups, with turns by network. Setups have no share, since no account
 * can sign in yet, and every client that loses the race for the first account must learn that the
 * account exists.
 */
export function createSetupRequester({ remoteAddress, signal }: Client): Requester {
  return { turn: getClientNetwork(remoteAddress), shares: [], signal };
}

/** This requester stands for the operator at the command line. */
export const OPERATOR: Requester = { turn: "operator", shares: [] };
