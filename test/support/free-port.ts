import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * For servers that cannot choose their own. Below the range that systems hand out to connections:
 * a server that is stopped finds its port free again.
 */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, host, () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}
