import { clientGone, Fault } from "../../core/fault.ts";
import type { WebRequest } from "./web-request.ts";

type Connected = Pick<WebRequest, "connection">;

/** The remote address, or `undefined` if the platform does not provide it. */
export function peerOf({ connection }: Connected): string | undefined {
  // Read from what an app passes, which need not have the declared types.
  const { remoteAddress }: { readonly remoteAddress?: unknown } = connection;
  return typeof remoteAddress === "string" ? remoteAddress : undefined;
}

/** The remote address of the connection. */
export function connectedFrom(request: Connected): string {
  const peer = peerOf(request);
  if (peer !== undefined) return peer;
  // A connection that was reset has only a local address until the server destroys it. Unix domain
  // sockets have neither address.
  const { destroyed, localAddress } = request.connection;
  if (destroyed === true || typeof localAddress === "string") throw clientGone();
  throw new Fault(
    "remote_address_unknown",
    "the remote address is unknown: on Hono, serve the app with @hono/node-server, or pass the address to latchkey/fetch",
  );
}

/** An unknown connection counts as unencrypted. */
export const isEncrypted = ({ connection }: Connected): boolean => connection.encrypted === true;
