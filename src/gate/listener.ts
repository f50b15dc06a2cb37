import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { Fault, getErrorCode, getErrorMessage } from "../lib/fault.ts";
import type { Handler } from "./create-handler.ts";
import { limitPipelines } from "./pipeline-limit.ts";
import { requireHost, respondToRefusals } from "./refusals.ts";

/**
 * An import would read every export and thereby load Node's Fetch implementation (25 ms, 14 MB).
 */
const http = process.getBuiltinModule("node:http");

/**
 * Sets shorter limits than Node's defaults (a minute for the headers), which let slow connections
 * accumulate. `requireHost` refuses requests without a Host header.
 */
export const SERVER_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
};

/** Suffices for the largest response, a logo of 512 KiB. */
const MAX_STALL_MS = 30_000;
const CHECK_EVERY_MS = 2_000;

/**
 * Closes connections that do not read their responses in time, because Node.js limits only
 * requests. One timer checks all connections, so a request costs nothing. Returns a function that
 * closes those that have sent nothing: Node.js 24 does not count them as idle.
 */
export function watchConnections(
  server: NetServer,
  event: "connection" | "secureConnection",
  maxStallMs: number = MAX_STALL_MS,
): () => void {
  const waitingSince = new Map<Socket, number | undefined>();
  server.on(event, (socket: Socket) => {
    waitingSince.set(socket, undefined);
    socket.once("close", () => waitingSince.delete(socket));
  });
  let checks = 0;
  const maxChecks = Math.ceil(maxStallMs / CHECK_EVERY_MS);
  const timer = setInterval(() => {
    checks += 1;
    for (const [socket, since] of waitingSince) {
      if (socket.writableLength === 0) waitingSince.set(socket, undefined);
      else if (since === undefined) waitingSince.set(socket, checks);
      else if (checks - since >= maxChecks) socket.destroy();
    }
  }, CHECK_EVERY_MS).unref();
  server.once("close", () => clearInterval(timer));
  return () => {
    for (const socket of waitingSince.keys()) if (socket.bytesRead === 0) socket.destroy();
  };
}

export type PlainServer = Server & DrainableServer;

export function createListener(handle: Handler): PlainServer {
  const server = http.createServer(SERVER_OPTIONS, limitPipelines(requireHost(handle)));
  respondToRefusals(server);
  const closeUnused = watchConnections(server, "connection");
  const closeIdleConnections = (): void => {
    http.Server.prototype.closeIdleConnections.call(server);
    closeUnused();
  };
  // `http.Server.close` is not used, because it closes connections whose next request is in
  // transit.
  const finish: DrainableServer["finish"] = (closed) =>
    void NetServer.prototype.close.call(server, closed);
  return Object.assign(server, { finish, closeIdleConnections });
}

/** Starts listening. Resolves to the URL of the server. */
export async function listen(server: NetServer, host: string, port: number): Promise<string> {
  try {
    await once(server.listen({ host, port }), "listening");
  } catch (error) {
    const text = LISTEN_ERRORS[getErrorCode(error) ?? ""] ?? getErrorMessage(error);
    throw new Fault("cannot_listen", `cannot listen on ${host}, port ${port}: ${text}`, {
      cause: error,
    });
  }
  // A connection that cannot be accepted, for example without free memory, must not end the
  // process.
  server.on("error", () => {});
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  const scheme = "setSecureContext" in server ? "https" : "http";
  return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${actualPort}`;
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: "it is already in use (stop the other program or choose another port)",
  EACCES: "ports below 1024 need root or CAP_NET_BIND_SERVICE",
  EADDRNOTAVAIL: "this machine does not have that address",
  ENOTFOUND: "the host name cannot be resolved",
};

/** Describes what `drain` needs of an HTTP or HTTPS server. */
export interface DrainableServer {
  prependListener(event: "request", listener: (...request: Parameters<Handler>) => void): unknown;
  /** Stops accepting connections and keeps the open ones. */
  finish(closed: () => void): void;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** Idle connections stay open for this time, because their next request may be in transit. */
const GRACE_MS = 250;
const SWEEP_EVERY_MS = 50;

/**
 * Stops accepting connections and waits for requests in flight. After `withinMs` it closes all
 * connections, since a slow client could delay the stop. Late responses say `Connection: close`.
 */
export async function drain(server: DrainableServer, withinMs: number): Promise<void> {
  server.prependListener("request", (_incoming, outgoing) => {
    if ("shouldKeepAlive" in outgoing) outgoing.shouldKeepAlive = false;
  });
  const closed = new Promise<void>((resolve) => server.finish(resolve));
  const timers = [
    setTimeout(() => {
      timers.push(setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS));
    }, GRACE_MS),
    setTimeout(() => server.closeAllConnections(), withinMs),
  ];
  await closed;
  for (const timer of timers) clearTimeout(timer);
}
