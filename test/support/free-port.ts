import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * For servers that cannot choose a free port. Below the range of ephemeral ports, so that a server
 * that was stopped can use its port again.
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
