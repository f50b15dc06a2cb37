import type { Context } from "hono";
import { clientGone, Fault } from "../../core/fault.ts";

/** The part of the TCP connection that is read, as Hono's Node server provides it. */
export interface Connection {
  readonly remoteAddress: string;
  readonly encrypted: boolean;
}

/** The Node request that Hono wraps, if there is one. */
export function incomingOf(c: Context): object | undefined {
  const incoming: unknown = c.env?.incoming;
  return typeof incoming === "object" && incoming !== null ? incoming : undefined;
}

type Socket = Partial<Record<keyof Connection | "localAddress" | "destroyed", unknown>>;

const socketOf = (c: Context): Socket => c.env?.incoming?.socket ?? {};

/** The remote address, or `undefined` if the platform does not provide it. */
export function peerOf(c: Context): string | undefined {
  const { remoteAddress } = socketOf(c);
  return typeof remoteAddress === "string" ? remoteAddress : undefined;
}

/** The remote address of the connection. */
export function connectedFrom(c: Context): string {
  const peer = peerOf(c);
  if (peer !== undefined) return peer;
  // A connection that was reset has only a local address until the server destroys it. Unix domain
  // sockets have neither address.
  const { destroyed, localAddress } = socketOf(c);
  if (destroyed === true || typeof localAddress === "string") throw clientGone();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is unknown: serve the routes with @hono/node-server, or use latchkey/fetch",
  );
}

/** An unknown connection counts as unencrypted. */
export const isEncrypted = (c: Context): boolean => socketOf(c).encrypted === true;
