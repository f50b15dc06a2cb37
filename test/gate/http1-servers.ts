import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import type { Handler } from "../../src/gate/create-handler.ts";
import { createListener, listen } from "../../src/gate/listener.ts";
import { openSocket } from "../support/raw.ts";
import { startBareServer } from "./https/bare-server.ts";
import { handshake } from "./https/secure-gate.ts";

/** Opens an HTTP/1.1 connection to a server with this handler. */
export const servers: Readonly<
  Record<string, (t: TestContext, handle: Handler) => Promise<Socket>>
> = {
  async "plain HTTP"(t, handle) {
    const server = createListener(handle);
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    return openSocket(t, await listen(server, "127.0.0.1", 0));
  },
  async TLS(t, handle) {
    const { port } = await startBareServer(t, handle);
    return handshake(t, port, { ALPNProtocols: ["http/1.1"] });
  },
};
