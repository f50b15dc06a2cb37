import { caddy } from "./caddy.ts";
import { haproxy } from "./haproxy.ts";
import { nginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import type { ProxyServer } from "./site.ts";

/** Registers the tests of each proxy that is installed. */
export function forEachProxy(register: (proxy: ProxyServer) => void): void {
  for (const [name, create] of Object.entries({ nginx, caddy, haproxy })) {
    whereInstalled(name, (program) => register(create(program)));
  }
}
