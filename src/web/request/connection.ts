import type { Context } from "hono";
import { clientGone, Fault } from "../../core/fault.ts";

/** The part of the TCP connection that is read, as Hono's Node server provides it. */
export interface Connection {
  readonly remoteAddress: string;
  readonly encrypted: boolean;
}

/** The remote address of the connection. */
export function connectedFrom(c: Context): string {
  const incoming = incomingOf(c);
  const peer = peerOf(incoming);
  if (peer !== undefined) return peer;
  if (hadPeer(property(incoming, "socket"))) throw clientGone();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is unknown: serve the routes with @hono/node-server, or use latchkey/fetch",
  );
}

/**
 * A connection that was reset has only a local address until the server destroys it. Unix domain
 * sockets have neither address.
 */
const hadPeer = (socket: unknown): boolean =>
  property(socket, "destroyed") === true || typeof property(socket, "localAddress") === "string";

/** The remote address, or `undefined` if the platform does not provide it. */
export function peerOf(incoming: unknown): string | undefined {
  const remoteAddress = property(property(incoming, "socket"), "remoteAddress");
  return typeof remoteAddress === "string" ? remoteAddress : undefined;
}

export const isConnectionKnown = (c: Context): boolean => peerOf(incomingOf(c)) !== undefined;

/** An unknown connection counts as unencrypted. */
export const isEncrypted = (c: Context): boolean =>
  property(property(incomingOf(c), "socket"), "encrypted") === true;

/** The Node request that Hono wraps, if there is one. */
export const incomingOf = (c: Context): unknown => property(c.env, "incoming");

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
