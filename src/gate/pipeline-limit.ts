import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Handler } from "./create-handler.ts";

/**
 * Limits pipelining. Browsers and proxies wait for a response before they send the next request.
 */
const MAX_WAITING = 16;

/** Counts the requests of a connection that wait until the response before them is sent. */
const waitingCounts = new WeakMap<Duplex, number>();

/** Returns whether requests of the connection wait until the response before them is sent. */
export const hasWaitingRequests = (socket: Duplex): boolean => (waitingCounts.get(socket) ?? 0) > 0;

/**
 * Closes HTTP/1.1 connections with more than `MAX_WAITING` waiting requests. Node passes on every
 * request in the data that it has read (up to 64 KiB), and reads on while handlers are
 * asynchronous.
 */
export function limitPipelines(handle: Handler): Handler {
  return (incoming, outgoing) => {
    // A waiting response has no socket yet. Every other request costs only this comparison.
    const isWaiting = "assignSocket" in outgoing && outgoing.socket === null;
    if (!isWaiting || queueRequest(incoming.socket, outgoing)) handle(incoming, outgoing);
    // Without this, Node would create an error for each request, which takes most of the time.
    else incoming.destroy();
  };
}

function queueRequest(socket: Socket, outgoing: ServerResponse): boolean {
  const count = (waitingCounts.get(socket) ?? 0) + 1;
  if (count > MAX_WAITING) {
    stopParsing(socket);
    socket.destroy();
  }
  // These requests were read before the connection was closed.
  if (socket.destroyed) return false;
  waitingCounts.set(socket, count);
  outgoing.once("close", () => waitingCounts.set(socket, (waitingCounts.get(socket) ?? 1) - 1));
  return true;
}

/**
 * Describes Node's parser, which has no public way to stop in the middle of the data it has read.
 */
interface SocketParser {
  readonly parser?: { onIncoming: unknown } | null;
}

/** With this result, the parser leaves the rest of the data to another protocol. */
const LEAVE_THE_REST = 2;

/**
 * Stops the parser. Otherwise Node creates objects for up to 1,600 more requests and keeps them
 * until it has read from all connections. 200 such connections crashed a gate with a heap of 256
 * MB.
 */
function stopParsing({ parser }: Socket & SocketParser): void {
  if (parser) parser.onIncoming = () => LEAVE_THE_REST;
}
