import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Handler } from "./handle.ts";

/** Browsers and proxies send the next request on a connection after the response before it. */
const MAX_WAITING = 16;

/** The requests of a connection that wait until the response before them is sent. */
const waitingCounts = new WeakMap<Socket, number>();

/**
 * Closes HTTP/1.1 connections on which more requests wait. Node passes on every request in what it
 * has read, up to 64 KiB, and reads on while handlers are asynchronous.
 */
export function limitPipelines(handle: Handler): Handler {
  return (incoming, outgoing) => {
    // A waiting response has no socket yet: any other request costs only this comparison.
    const isWaiting = "assignSocket" in outgoing && outgoing.socket === null;
    if (!isWaiting || queueRequest(incoming.socket, outgoing)) handle(incoming, outgoing);
    // Otherwise Node would make an error for each, which costs most of the time.
    else incoming.destroy();
  };
}

function queueRequest(socket: Socket, outgoing: ServerResponse): boolean {
  const count = (waitingCounts.get(socket) ?? 0) + 1;
  if (count > MAX_WAITING) {
    stopParsing(socket);
    socket.destroy();
  }
  // The rest of what was read before the connection was closed.
  if (socket.destroyed) return false;
  waitingCounts.set(socket, count);
  outgoing.once("close", () => waitingCounts.set(socket, (waitingCounts.get(socket) ?? 1) - 1));
  return true;
}

/** Node's parser, which has no public way to stop in the middle of what has been read. */
interface SocketParser {
  readonly parser?: { onIncoming: unknown } | null;
}

/** By this result, the parser leaves the rest to another protocol. */
const LEAVE_THE_REST = 2;

/**
 * Otherwise Node makes objects for up to 1,600 more requests, and keeps them until it has read from
 * all connections: 200 of these ended a gate with a heap of 256 MB.
 */
function stopParsing({ parser }: Socket & SocketParser): void {
  if (parser) parser.onIncoming = () => LEAVE_THE_REST;
}
