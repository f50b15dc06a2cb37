import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TestContext } from "node:test";

/** Listens on a port, a free one by default, until the end of the test, which closes all connections. Returns the port. */
export async function listenOn(
  t: TestContext,
  server: Server,
  host = "127.0.0.1",
  port = 0,
): Promise<number> {
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket)).listen(port, host);
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
