import type { Context, MiddlewareHandler } from "hono";
import { allowsAnyHost, judgeHost } from "../core/allowed-hosts.ts";
import type { WebPorts } from "./ports.ts";
import { hostOf, requestInfoOf } from "./request/request-info.ts";

/** Returns the paths whose host is checked. `sitePaths` lead to pages, forms and assets. */
export function pathsWithHost(
  { options, paths }: WebPorts,
  sitePaths: readonly string[],
): readonly string[] {
  const { allowedHosts } = options;
  if (allowedHosts === "loopback-setup") return [paths.setup];
  return allowsAnyHost(allowedHosts) ? [] : sitePaths;
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
