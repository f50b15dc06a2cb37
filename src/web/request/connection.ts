import { clientGone, Fault } from "../../core/base/fault.ts";
import type { WebRequest } from "./web-request.ts";

type Connected = Pick<WebRequest, "connection">;

/** The remote address of a Unix domain socket, which has no address. All its clients share it. */
export const LOCAL = "local";

/** The remote address, or `undefined` if the platform does not provide it. */
export function peerOf({ connection }: Connected): string | undefined {
  // Read from what an app passes, which need not have the declared types.
  const { remoteAddress }: { readonly remoteAddress?: unknown } = connection;
  if (typeof remoteAddress === "string") return remoteAddress;
  // Only a socket reports whether it is destroyed. On TCP it would have a local address.
  const { destroyed, localAddress } = connection;
  return destroyed === false && localAddress === undefined ? LOCAL : undefined;
}

export function connectedFrom(request: Connected): string {
  const peer = peerOf(request);
  if (peer !== undefined) return peer;
  // A connection that was reset has only a local address until the server destroys it.
  const { destroyed, localAddress } = request.connection;
  if (destroyed === true || typeof localAddress === "string") throw clientGone();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is unknown: on Hono, serve the app with @hono/node-server, or pass the address to latchkey/fetch",
  );
}

/** An unknown connection counts as unencrypted. */
export const isEncrypted = ({ connection }: Connected): boolean => connection.encrypted === true;
