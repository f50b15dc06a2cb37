import { allowsAnyHost, judgeHost } from "../../core/hosts/allowed-hosts.ts";
import type { Answer } from "../answers/responses.ts";
import type { Endpoint } from "../endpoint.ts";
import type { WebPorts } from "../ports.ts";
import { hostOf, type WebRequest } from "../request/web-request.ts";

/** Whether the host is checked on this path of a page, form or asset. */
export function isHostChecked({ options, paths }: WebPorts, path: string): boolean {
  const { allowedHosts } = options;
  return allowedHosts === "loopback-setup" ? path === paths.setup : !allowsAnyHost(allowedHosts);
}

/** Answers 421 to a request for a host that is not allowed. */
export function refusingOtherHosts(ports: WebPorts, endpoint: Endpoint): Endpoint {
  return async (request) => {
    switch (judgeHost(ports.options, hostOf(request))) {
      case "allowed":
        return endpoint(request);
      case "refused":
        return refuse(ports, request);
      case "no-setup":
        return (await ports.rules.users.anyExists()) ? endpoint(request) : refuse(ports, request);
    }
  };
}

/** Answers an unknown path: 421 for a host that is not allowed, as on the known paths. */
export function answerUnknownPath(ports: WebPorts, request: WebRequest): Promise<Answer> {
  if (judgeHost(ports.options, hostOf(request)) === "refused") return refuse(ports, request);
  return ports.views.error(request, 404, "noSuchPage");
}

const refuse = ({ views }: WebPorts, request: WebRequest): Promise<Answer> =>
  views.error(request, 421, "hostNotAllowed");
