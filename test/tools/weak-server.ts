import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listenOn } from "../support/listen.ts";

/** A vulnerable server. A tool that finds nothing here was used wrongly. */
export async function startWeakServer(
  t: TestContext,
  handle: RequestListener,
  { options = {}, prepare = () => {} }: Weakness = {},
): Promise<string> {
  const server = createServer(options, handle);
  prepare(server);
  const port = await listenOn(t, server);
  return `http://127.0.0.1:${port}`;
}

export interface Weakness {
  readonly options?: ServerOptions;
  readonly prepare?: (server: Server) => void;
}

export const formOf = async (incoming: Parameters<RequestListener>[0]): Promise<URLSearchParams> =>
  new URLSearchParams(await text(incoming));
