import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

/** A vulnerable server. A tool that finds nothing here was used wrongly. */
export async function startWeakServer(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const formOf = async (incoming: Parameters<RequestListener>[0]): Promise<URLSearchParams> =>
  new URLSearchParams(await text(incoming));
