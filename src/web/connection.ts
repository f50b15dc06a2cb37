import type { Context } from "hono";
import { Fault } from "../core/fault.ts";

/** The little that is needed of the TCP connection, as Hono's Node server hands it over. */
export interface Connection {
  readonly remoteAddress: string;
  readonly encrypted: boolean;
}

export function connectionOf(c: Context): Connection {
  const socket = property(property(c.env, "incoming"), "socket");
  const remoteAddress = property(socket, "remoteAddress");
  if (typeof remoteAddress !== "string") {
    throw new Fault(
      "remote_address_unknown",
      "the remote address is not known: the routes have to be served by @hono/node-server",
    );
  }
  return { remoteAddress, encrypted: property(socket, "encrypted") === true };
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
