import type { Context, MiddlewareHandler } from "hono";
import { allowsAnyHost, judgeHost } from "../core/allowed-hosts.ts";
import { codeRoutes } from "./codes.ts";
import { CHANGE_PASSWORD, homePathsOf } from "./paths.ts";
import type { WebPorts } from "./ports.ts";
import { hostOf, requestInfoOf } from "./request/request-info.ts";

/** The paths of the pages, forms and assets: all but the health checks and forward auth. */
export function sitePaths(ports: WebPorts): readonly string[] {
  const { paths, assets, options, rules } = ports;
  const { login, setup, logout, password } = paths;
  const { passkeyLogin, addPasskey, removePasskey } = paths;
  const homes = homePathsOf(paths, options);
  return [
    ...[login, setup, logout, password],
    ...(rules.sessions === undefined ? [] : [paths.endSession]),
    ...codeRoutes(ports).map(([path]) => path),
    ...(rules.passkeys === undefined ? [] : [passkeyLogin, addPasskey, removePasskey]),
    ...assets.map(({ path }) => path),
    ...homes,
    ...(options.siteFiles && homes.length > 0 ? [CHANGE_PASSWORD] : []),
  ];
}

/**
 * The paths whose host is checked. Health checks are excluded because load balancers send them to
 * an address, and forward auth because a reverse proxy asks with the host of the app.
 */
export function pathsWithHost(ports: WebPorts): readonly string[] {
  const { allowedHosts } = ports.options;
  if (allowedHosts === "loopback-setup") return [ports.paths.setup];
  return allowsAnyHost(allowedHosts) ? [] : sitePaths(ports);
}

/** Answers 421 to a request for a host that is not allowed. */
export function refuseOtherHosts(ports: WebPorts): MiddlewareHandler {
  return async (c, next) => {
    switch (judgeHost(ports.options, hostOf(c))) {
      case "allowed":
        return next();
      case "refused":
        return refuse(ports, c);
      case "no-setup":
        return (await ports.rules.users.anyExists()) ? next() : refuse(ports, c);
    }
  };
}

/** Answers an unknown path: 421 for a host that is not allowed, as on the known paths. */
export function answerUnknownPath(ports: WebPorts, c: Context): Promise<Response> {
  if (judgeHost(ports.options, hostOf(c)) === "refused") return refuse(ports, c);
  return ports.views.error(requestInfoOf(c), 404, "noSuchPage");
}

const refuse = ({ views }: WebPorts, c: Context): Promise<Response> =>
  views.error(requestInfoOf(c), 421, "hostNotAllowed");
