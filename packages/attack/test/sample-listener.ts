import { once } from "node:events";
import { createServer, type RequestListener, type ServerOptions } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";
import type { MadeCertificate } from "../../../test/support/certificates.ts";
import { trust } from "./trust.ts";

/**
 * Starts a server on loopback until the test ends, and returns its URL. With a certificate for
 * localhost, it serves HTTPS over HTTP/1.1 and HTTP/2, and clients in this process trust it.
 */
export async function listen(
  t: TestContext,
  options: ServerOptions,
  certificate: MadeCertificate | undefined,
  listener: RequestListener,
): Promise<string> {
  const server =
    certificate === undefined
      ? createServer(options, listener)
      : // Requests and responses of HTTP/2 have everything that the sample server uses.
        createSecureServer({ ...certificate, allowHTTP1: true }, listener as never);
  if (certificate !== undefined) trust(t, certificate);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return certificate === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
}
