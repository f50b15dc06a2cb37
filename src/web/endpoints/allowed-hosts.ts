import { allowsAnyHost, judgeHost } from "../../core/hosts/allowed-hosts.ts";
import { handoffRoot } from "../answers/return-to.ts";
import type { Endpoint } from "../endpoint.ts";
import { HANDOFF } from "../paths.ts";
import type { WebPorts } from "../ports.ts";
import { hostOf } from "../request/web-request.ts";

/** Answers 421 to a request for a host that is not allowed. */
export function refusingOtherHosts(ports: WebPorts, endpoint: Endpoint): Endpoint {
  const { options, paths, rules, views } = ports;
  const { allowed } = options.hosts;
  if (allowsAnyHost(allowed)) return endpoint;
  return async (request) => {
    if (allowed === "loopback-setup" && request.path !== paths.setup) return endpoint(request);
    if (request.path === HANDOFF && handoffRoot(options, request)) return endpoint(request);
    const verdict = judgeHost(options.hosts, hostOf(request));
    const isAllowed =
      verdict === "allowed" || (verdict === "no-setup" && (await rules.users.anyExists()));
    return isAllowed ? endpoint(request) : views.misdirected(request);
  };
}
