import { messageOf } from "../core/base/fault.ts";
import { type Answer, respondJson, respondText } from "./answers/responses.ts";
import { forwardAuth } from "./endpoints/forward-auth.ts";
import { suffixedForwardAuth } from "./endpoints/forward-auth-suffix.ts";
import { ALIVE, ASSERTION_KEYS, FORWARD_AUTH, READY, routeOf } from "./paths.ts";
import type { Endpoint, WebPorts } from "./ports.ts";
import { siteRoutes } from "./site-routes.ts";
import { byMethod, failingSafely, refusingOtherHosts, withRequestId } from "./wrapped.ts";

interface Routes {
  readonly paths: ReadonlySet<string>;
  /** A failure is an answer too, the error page. */
  readonly answer: Endpoint;
}

export function createRoutes(ports: WebPorts): Routes {
  const { paths, options } = ports;
  const table = new Map<string, Endpoint>();
  const add = (path: string, endpoint: Endpoint): unknown =>
    table.set(path, withRequestId(ports, failingSafely(ports, endpoint)));
  for (const [path, methods] of siteRoutes(ports)) {
    add(path, refusingOtherHosts(ports, byMethod(ports, methods)));
  }
  // The host of these is not checked: the page for a wrong host has its style from here, load
  // balancers ask for an address, and a reverse proxy asks with the host of the app.
  for (const [path, GET] of ports.assets) add(path, byMethod(ports, { GET }));
  if (options.standalone) {
    add(paths.base + ALIVE, byMethod(ports, { GET: () => respondText("alive", 200) }));
    add(paths.base + READY, byMethod(ports, { GET: () => answerReady(ports) }));
    const { assertions } = ports.rules;
    if (assertions !== undefined) {
      const { keys } = assertions;
      add(ASSERTION_KEYS, byMethod(ports, { GET: () => respondJson({ keys }, 200) }));
    }
    const GET: Endpoint = (request) => forwardAuth(ports, request);
    // Without `add`: an ID for each request to an app would cost more than the answer.
    table.set(paths.base + FORWARD_AUTH, failingSafely(ports, byMethod(ports, { GET })));
  }
  const unknown = refusingOtherHosts(ports, (request) =>
    ports.views.error(request, 404, "noSuchPage"),
  );
  const suffixed = `${paths.base}${FORWARD_AUTH}/`;
  const otherwise = failingSafely(ports, (request) =>
    options.standalone && request.path.startsWith(suffixed)
      ? suffixedForwardAuth(ports, request)
      : unknown(request),
  );
  return {
    paths: new Set(table.keys()),
    answer: (request) => {
      const { path } = request;
      return (table.get(path) ?? table.get(routeOf(paths, path)) ?? otherwise)(request);
    },
  };
}

/** Queries the database without any cache and reports whether it answers. */
async function answerReady({ rules, requests }: WebPorts): Promise<Answer> {
  try {
    await rules.store.users.any();
    return respondText("ready", 200);
  } catch (error) {
    requests.log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return respondText("the store does not answer", 503);
  }
}
