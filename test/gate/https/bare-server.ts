import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Handler } from "../../../src/gate/create-handler.ts";
import { CertificateSource, parseCertificate } from "../../../src/gate/https/certificate.ts";
import { createHttpsServer, type HttpsServer } from "../../../src/gate/https/https-server.ts";
import { drain } from "../../../src/gate/listener.ts";
import { LOCALHOST } from "./secure-gate.ts";

export interface BareServer {
  readonly server: HttpsServer;
  readonly port: number;
  /** Ends requests in flight after that time. */
  stop(withinMs: number): Promise<void>;
}

/** Starts only the gate's HTTPS server, with the handler and timeouts of the test. */
export async function startBareServer(
  t: TestContext,
  handle: Handler,
  timeouts?: Parameters<typeof createHttpsServer>[2],
): Promise<BareServer> {
  const certificate = parseCertificate(LOCALHOST.cert, LOCALHOST.key);
  const source = new CertificateSource();
  source.replace([certificate]);
  const server = createHttpsServer(handle, source, timeouts);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async (withinMs: number): Promise<void> => {
    await drain(server, withinMs);
  };
  t.after(() => (server.listening ? stop(0) : undefined));
  return { server, port: (server.address() as AddressInfo).port, stop };
}
