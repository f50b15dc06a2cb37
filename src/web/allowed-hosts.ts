import type { Context, MiddlewareHandler } from "hono";
import { allowsAnyHost, type HostRule, judgeHost } from "../core/allowed-hosts.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { Asset } from "./pages/assets.ts";
import { CHANGE_PASSWORD, type Paths } from "./paths.ts";
import { visitOf } from "./request/visit.ts";
import type { Views } from "./views.ts";

export interface HostPorts {
  readonly hosts: HostRule;
  readonly users: UserMemory;
  readonly views: Views;
  readonly paths: Paths;
  readonly assets: readonly Asset[];
  readonly siteFiles: boolean;
}

/**
 * The paths whose host is checked. Never the health checks, which load balancers send to an
 * address, nor forward auth, which a reverse proxy asks under the name of the app.
 */
export function pathsWithHost({ hosts, paths, assets, siteFiles }: HostPorts): readonly string[] {
  const { login, setup, logout, password, home } = paths;
  if (hosts.allowedHosts === "loopback-setup") return [setup];
  if (allowsAnyHost(hosts.allowedHosts)) return [];
  return [
    ...[login, setup, logout, password],
    ...assets.map(({ path }) => path),
    ...(home === null ? [] : [home]),
    ...(siteFiles ? [CHANGE_PASSWORD] : []),
  ];
}

/** Answers 421 to a request for a host that is not allowed. */
export function refuseOtherHosts(ports: HostPorts): MiddlewareHandler {
  return async (c, next) => {
    switch (judgeHost(ports.hosts, hostOf(c))) {
      case "allowed":
        return next();
      case "refused":
        return refuse(ports, c);
      case "no-setup":
        return (await ports.users.anyExists()) ? next() : refuse(ports, c);
    }
  };
}

/** Where there is no page: an unknown path does not tell either that the gate is here. */
export function noSuchPage(ports: HostPorts, c: Context): Promise<Response> {
  if (judgeHost(ports.hosts, hostOf(c)) === "refused") return refuse(ports, c);
  return ports.views.say(visitOf(c), 404, (said) => said.noSuchPage);
}

const refuse = ({ views }: HostPorts, c: Context): Promise<Response> =>
  views.say(visitOf(c), 421, (said) => said.hostNotAllowed);

/** HTTP/1.0 may come without a Host header: the server then completes the URL. */
const hostOf = (c: Context): string => c.req.header("host") ?? new URL(c.req.url).host;
