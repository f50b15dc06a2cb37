import { networkOf } from "./network.ts";
import type { UserId } from "./store.ts";
import type { Requester } from "./work-queue.ts";

/** Providers assign a client no smaller IPv6 network. */
const IPV6_NETWORK = 64;

/** Who sent a request, as far as the rules need to know. */
export interface Client {
  readonly remoteAddress: string;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** Anyone can send these from one network: they take turns, and have one share, by network. */
export function networkRequester({ remoteAddress, signal }: Client): Requester {
  const network = networkOf(remoteAddress, IPV6_NETWORK);
  return { turn: network, shares: [network], signal };
}

/** A session can be used from many networks, and one network can use many sessions. */
export function userRequester({ remoteAddress, signal }: Client, id: UserId): Requester {
  const user = `user ${id}`;
  return { turn: user, shares: [user, networkOf(remoteAddress, IPV6_NETWORK)], signal };
}

/**
 * Setups have no share, since there is no sign-in yet that they could displace: whoever comes second
 * in a race for the account learns that it exists, however many come from one network.
 */
export function setupRequester({ remoteAddress, signal }: Client): Requester {
  return { turn: networkOf(remoteAddress, IPV6_NETWORK), shares: [], signal };
}

/** The operator at the command line. */
export const OPERATOR: Requester = { turn: "operator", shares: [] };
