import { pathOf } from "../../web/paths.ts";
import { type Handle, wasSent } from "../handle.ts";
import type { Registry } from "./registry.ts";

const REQUEST_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

const METHODS: readonly string[] = ["GET", "HEAD", "POST"];

/**
 * Returns a wrapper that counts the requests of a handler. Labels come from fixed lists, with `other`
 * for the rest, so that clients cannot create series with new paths or methods.
 */
export function countRequests(
  registry: Registry,
  seconds: () => number,
): (handle: Handle, paths: Iterable<string>) => Handle {
  const requests = registry.counter(
    "latchkey_http_requests_total",
    "Requests by route and status. Aborted: the client disconnected before the end of the response.",
  );
  const durations = registry.histogram(
    "latchkey_http_request_duration_seconds",
    "Time from a request's headers to the end of its response.",
    REQUEST_SECONDS,
  );
  return (handle, paths) => {
    const routes = new Set(paths);
    return (incoming, outgoing) => {
      const start = seconds();
      outgoing.once("close", () => {
        const path = pathOf(incoming.url ?? "");
        const route = routes.has(path) ? path : "other";
        const method = METHODS.find((one) => one === incoming.method) ?? "other";
        const code = wasSent(outgoing) ? String(outgoing.statusCode) : "aborted";
        durations({ route, method }).add(seconds() - start);
        requests({ route, method, code }).add(1);
      });
      handle(incoming, outgoing);
    };
  };
}
