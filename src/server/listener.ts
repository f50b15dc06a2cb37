import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { codeOf, Fault, messageOf } from "../core/fault.ts";

/** Short, since Node's own would let slow connections gather: a minute for the headers alone. */
const HEADERS_WITHIN_MS = 5_000;
const REQUEST_WITHIN_MS = 10_000;
const IDLE_FOR_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

export function createListener(routes: Hono): Server {
  return createServer(
    {
      headersTimeout: HEADERS_WITHIN_MS,
      requestTimeout: REQUEST_WITHIN_MS,
      keepAliveTimeout: IDLE_FOR_MS,
      connectionsCheckingInterval: LOOK_EVERY_MS,
    },
    getRequestListener(routes.fetch, { overrideGlobalObjects: false }),
  );
}

/** Answers with the address that people can open. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenFault(error, host, port)));
    server.listen({ host, port }, resolve);
  });
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actualPort}`;
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

/**
 * Stops accepting, lets requests in flight finish, and after `withinMs` cuts off those that are
 * still not done, since a slow client could otherwise hold the server for as long as it likes.
 */
export async function drain(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that falls idle only after `close` is not closed by it.
  const sweeping = setInterval(() => server.closeIdleConnections(), 50);
  const cutting = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(sweeping);
  clearTimeout(cutting);
}
