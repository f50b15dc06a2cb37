import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import type { TestContext } from "node:test";

/** Opens the server on a free loopback port until the test ends, and returns the port. */
export async function listen(
  t: TestContext,
  server: Server & Partial<Pick<HttpServer, "closeAllConnections">>,
  host = "127.0.0.1",
): Promise<number> {
  server.listen(0, host);
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}
