import type { Context } from "hono";
import { clientGone, Fault } from "../../core/fault.ts";

/** The little that is needed of the TCP connection, as Hono's Node server hands it over. */
export interface Connection {
  readonly remoteAddress: string;
  readonly encrypted: boolean;
}

/** The address at the other end. */
export function connectedFrom(c: Context): string {
  const incoming = incomingOf(c);
  const peer = peerOf(incoming);
  if (peer !== undefined) return peer;
  if (hadPeer(property(incoming, "socket"))) throw clientGone();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is not known: the routes have to be served by @hono/node-server",
  );
}

/**
 * A reset connection is not destroyed until the server hears of it, but names its own end alone.
 * Sockets of the file system name neither.
 */
const hadPeer = (socket: unknown): boolean =>
  property(socket, "destroyed") === true || typeof property(socket, "localAddress") === "string";

/** The same of a request that may have come another way: who sent it, or nothing. */
export function peerOf(incoming: unknown): string | undefined {
  const remoteAddress = property(property(incoming, "socket"), "remoteAddress");
  return typeof remoteAddress === "string" ? remoteAddress : undefined;
}

export const isConnectionKnown = (c: Context): boolean => peerOf(incomingOf(c)) !== undefined;

/** Where nothing is known of the connection, nothing speaks for TLS either. */
export const isEncrypted = (c: Context): boolean =>
  property(property(incomingOf(c), "socket"), "encrypted") === true;

/** What stands for the request below Hono, where there is such a thing. */
export const incomingOf = (c: Context): unknown => property(c.env, "incoming");

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
