import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Auth } from "../../src/index.ts";

/**
 * A framework application that includes Latchkey. Every framework has the same routes:
 *
 * - `/operation` is behind `requireAuth`, `/handler` with any method behind `authMiddleware`
 * - `/family` is behind `requireAuth`, and `/family-handler` behind `authMiddleware`, with that group
 * - `/failing` is behind `requireAuth` and throws
 * - `/who` returns the current user, `/helpers` the page helpers
 * - `/echo` is public and reads a JSON body or a form with the framework's own parser
 */
export interface Framework {
  readonly name: string;
  start(parts: AppParts): Promise<Served>;
}

export interface AppParts {
  readonly auth: Auth;
  /** Called whenever a protected handler runs. */
  readonly reach: () => void;
}

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** The body of the applications' 404 response. */
export const NOT_FOUND = "the application knows no such page";

/** The body that the applications' error handlers send for an error, with status 418. */
export const handled = (error: unknown): string =>
  `handled: ${error instanceof Error ? error.message : String(error)}`;

export const OWN_FAULT = "the application's own fault";

export async function serveListener(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
