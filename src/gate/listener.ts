import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { type AddressInfo, Server as NetServer } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { cutStalled } from "./stalled.ts";

/** Short, since Node's own would let slow connections gather: a minute for the headers alone. */
export const TIMEOUTS: Timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

type Timeouts = Readonly<
  Required<
    Pick<
      ServerOptions,
      "headersTimeout" | "requestTimeout" | "keepAliveTimeout" | "connectionsCheckingInterval"
    >
  >
>;

/** What answers requests, over HTTP/1.1 or HTTP/2. */
export type Handle = (
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
) => void;

/** Whether the whole answer went out, asked at the end of it. */
export const wasSent = (outgoing: ServerResponse | Http2ServerResponse): boolean =>
  "stream" in outgoing ? outgoing.stream.rstCode === 0 : outgoing.writableFinished;

/**
 * Replaces the process's own `Request` and `Response` with lighter ones, which halve what an answer
 * costs. The process is the gate's alone; in one that others share, the adapters leave them be.
 */
export function handleOf(routes: Hono): Handle {
  // A load balancer that speaks HTTP/1.0 may name no host.
  const options = { overrideGlobalObjects: true, hostname: "localhost" } as const;
  const answer = getRequestListener(routes.fetch, options);
  return (incoming, outgoing) => {
    // An answer that cannot be written costs its own connection, not the process.
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  };
}

export type PlainServer = Server & Drainable;

export function createListener(handle: RequestListener): PlainServer {
  const server = createServer(TIMEOUTS, handle);
  cutStalled(server, "connection");
  // Not by HTTP's own `close`: it ends connections whose next request is under way.
  const finish: Drainable["finish"] = (closed) =>
    void NetServer.prototype.close.call(server, closed);
  return Object.assign(server, { finish });
}

/** Answers with the address that people can open. */
export async function listen(server: NetServer, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => reject(listenFault(error, host, port));
    server.once("error", fail);
    server.listen({ host, port }, () => {
      server.off("error", fail);
      resolve();
    });
  });
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  const scheme = "setSecureContext" in server ? "https" : "http";
  return `${scheme}://${family === "IPv6" ? `[${address}]` : address}:${actualPort}`;
}

function listenFault(error: Error, host: string, port: number): Fault {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: "it is in use already",
    EACCES: "ports below 1024 need a privilege",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "this host name is not known",
  };
  const text = why[codeOf(error) ?? ""] ?? messageOf(error);
  return new Fault("cannot_listen", `cannot listen on ${host}, port ${port}: ${text}`, {
    cause: error,
  });
}

/** What a server of either kind can do to come to an end. */
export interface Drainable {
  prependListener(event: "request", listener: (...request: Parameters<Handle>) => void): unknown;
  /** Accepts no connection any more; those that are there live on. */
  finish(closed: () => void): void;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** For requests that are on their way over connections that look idle. */
const GRACE_MS = 250;
const SWEEP_EVERY_MS = 50;

/**
 * Stops accepting, lets requests in flight finish, and after `withinMs` cuts off those that are
 * still not done, since a slow client could otherwise hold the server for as long as it likes. Whoever
 * has a connection open is told with the next answer that it was the last one.
 */
export async function drain(server: Drainable, withinMs: number): Promise<void> {
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
